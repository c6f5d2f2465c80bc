"""ToolPlan: a connected core of the tables gets tools, bounded in all."""

from __future__ import annotations

from collections import Counter

from synthesis.procedural.derived.derive import derive
from synthesis.procedural.derived.source.module import tools_source
from synthesis.procedural.derived.tool_plan import MOST_TOOLS
from synthesis.worlds.tool_graph import tool_links
from synthesis.worlds.toolset import read_toolset, toolset_findings
from tests.synthesis.procedural.derived.schemas import handed


def _many_tables(count: int) -> str:
    texts = []
    for number in range(count):
        refs = f", ref_id INTEGER REFERENCES part{number // 2} (id)" if number else ""
        texts.append(
            f"CREATE TABLE part{number} (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            f" price REAL, day DATE{refs});"
        )
    return "\n".join(texts)


def test_every_substantial_table_has_several_tools(plan):
    per_table = Counter(operation.relation.table for operation in plan.operations)
    assert min(per_table.values()) >= 3
    names = {operation.name for operation in plan.operations}
    assert {"find_customers", "get_order", "mark_order_shipped", "add_order_with_order_details"} <= names


def test_tools_are_described_and_those_that_write_are_told_from_those_that_read(plan):
    source = tools_source(plan, "Test")
    assert toolset_findings(source) == ()
    writing = {tool.name for tool in read_toolset(source).tools if tool.mutates_state}
    assert writing == {operation.name for operation in plan.writing}


def test_many_tables_get_no_more_tools_than_an_agent_can_take_in():
    environment = derive(handed(_many_tables(70)), seed=1, tasks=3)
    assert 30 <= len(environment.tools.tools) <= MOST_TOOLS
    assert len({tool.name for tool in environment.tools.tools}) == len(environment.tools.tools)


def test_outputs_of_some_tools_feed_others(shop):
    links = tool_links(shop.tools, shop.schema)
    assert any(link.source == "find_customers" and link.target == "add_order" for link in links)


def test_tools_refuse_in_words_and_never_leak_a_constraint(world):
    with world.instance() as instance:
        order = instance.query("SELECT * FROM Orders WHERE status = 'new'")[0]
        details = {
            "unknown": instance.call("get_order", {"order_id": 987654}),
            "wrong state": instance.call("mark_order_shipped", {"order_id": order["OrderID"]}),
            "referred to": instance.call("delete_customer", {"customer_id": order["CustomerID"]}),
            "constraint": instance.call(
                "add_order_detail",
                {
                    "order_id": order["OrderID"],
                    "product_id": 301,
                    "unit_price": 1.0,
                    "quantity": 1,
                    "discount": 7.0,
                },
            ),
        }
    assert {result.status for result in details.values()} == {"refused"}
    assert details["unknown"].message == "Order 987654 does not exist."
    assert "only orders that are paid can become shipped" in details["wrong state"].message
    assert "cannot be deleted" in details["referred to"].message
    assert "from 0.0 to 1.0" in details["constraint"].message


def test_a_check_that_no_tool_knows_is_still_a_refusal(world):
    with world.instance() as instance:
        shipped = instance.query("SELECT * FROM Orders WHERE status = 'paid'")[0]
        result = instance.call(
            "update_order", {"order_id": shipped["OrderID"], "order_date": "2026-13-40T09:00"}
        )
        assert result.status == "refused"


def test_a_parent_and_its_parts_are_made_in_one_call_or_not_at_all(world):
    customer = world.rows(world.base, "SELECT CustomerID AS k FROM Customers")[0]["k"]
    call = {"customer_id": customer, "order_date": "2026-03-11T09:00", "unit_prices": [5.0, 6.0]}
    call |= {"quantities": [1, 2], "discounts": [0.0, 0.1]}
    products = [row["k"] for row in world.rows(world.base, "SELECT ProductID AS k FROM Products")]
    with world.instance() as instance:
        refused = instance.call("add_order_with_order_details", {**call, "product_ids": [products[0], 999]})
        assert refused.status == "refused"
        assert not instance.diff()
        result = instance.call("add_order_with_order_details", {**call, "product_ids": products[:2]})
        assert result.ok
        assert [change.table for change in instance.diff().inserted] == [
            "Orders",
            "Order Details",
            "Order Details",
        ]
