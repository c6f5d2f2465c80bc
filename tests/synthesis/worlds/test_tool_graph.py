"""Which tables a tool touches and which tool feeds which, read from the source alone."""

from synthesis.documents.tools import Tool, Toolset
from synthesis.procedural.business.author import compose
from synthesis.worlds.database import read_schema
from synthesis.worlds.tool_graph import ToolLink, tool_links, tool_tables

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id));
CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id));
CREATE TABLE "audit log" (id INTEGER PRIMARY KEY, text TEXT);
"""

SOURCE = '''
ORDER_VIEW = "SELECT * FROM orders JOIN customers ON customers.id = orders.customer_id"


def _order(db, order_id):
    return db.one(f"{ORDER_VIEW} WHERE orders.id = ?", order_id)


def find_customers(db, name: str) -> list:
    """Find customers. Never reads from orders."""
    return db.query("SELECT * FROM customers WHERE name = ?", name)


def get_order(db, order_id: int) -> dict:
    """Get an order."""
    return _order(db, order_id)


def place_order(db, customer_id: int) -> dict:
    """Place an order."""
    key = db.insert("orders", customer_id=customer_id)
    db.insert("order_lines", order_id=key)
    return _order(db, key)


def drop_lines(db, order_ids: list) -> dict:
    """Drop lines."""
    db.execute("DELETE FROM order_lines WHERE order_id = ?", order_ids[0])
    return {}
'''


def toolset(**parameters):
    tools = tuple(
        Tool(
            name=name,
            description=name,
            inputSchema={"type": "object", "properties": {each: {} for each in given}},
            mutates_state=False,
        )
        for name, given in parameters.items()
    )
    return Toolset(source=SOURCE, tools=tools)


TOOLS = toolset(
    find_customers=["name"],
    get_order=["order_id"],
    place_order=["customer_id"],
    drop_lines=["order_ids"],
)


def test_tables_are_found_through_helpers_and_constants_and_not_in_docstrings():
    results = tool_tables(TOOLS, read_schema(SCHEMA))
    assert (results["find_customers"].reads, results["find_customers"].writes) == (("customers",), ())
    assert (results["get_order"].reads, results["get_order"].main) == (("orders", "customers"), "orders")
    assert results["place_order"].writes == ("orders", "order_lines")
    assert (results["drop_lines"].reads, results["drop_lines"].writes) == ((), ("order_lines",))


def test_an_output_feeds_the_parameter_that_is_named_for_its_key():
    links = tool_links(TOOLS, read_schema(SCHEMA))
    assert ToolLink("find_customers", "place_order", "customer_id", "customers") in links
    assert ToolLink("place_order", "get_order", "order_id", "orders") in links
    assert ToolLink("get_order", "drop_lines", "order_ids", "orders") in links
    assert not [link for link in links if link.source == link.target or link.parameter == "name"]


def test_a_source_that_cannot_be_parsed_has_no_tables():
    broken = Toolset(source="def f(:", tools=TOOLS.tools)
    assert tool_tables(broken, read_schema(SCHEMA))["get_order"].main == ""
    assert tool_links(broken, read_schema(SCHEMA)) == ()


def test_it_agrees_with_what_the_clinics_tools_did(clinic):
    """Every table a reference solution changed is one its tools are said to write."""
    from synthesis.verification.reference_run import play
    from synthesis.worlds.world import World

    tables = tool_tables(clinic.tools, clinic.schema)
    with World(clinic) as world:
        for task in clinic.tasks.tasks:
            _, _, changes = play(world, task.reference_solution)
            texts = {table for call in task.reference_solution for table in tables[call.name].writes}
            assert {change.table for change in changes.changes} <= texts, task.id


def test_every_tool_of_a_composed_environment_has_a_table_and_most_are_fed():
    environment = compose("A municipal library lends books, games and tools", seed=1)
    tables = tool_tables(environment.tools, environment.schema)
    assert [name for name, touched in tables.items() if not touched.main] == []
    assert {tool.name for tool in environment.tools.tools if tool.mutates_state} == {
        name for name, touched in tables.items() if touched.writes
    }
    fed = {link.target for link in tool_links(environment.tools, environment.schema)}
    assert len(fed) > len(tables) / 2
