"""Pointers: pairs of columns that name a row of one of several tables are understood as such."""

from __future__ import annotations

import random

import pytest

from synthesis.documents.seed_data import SeedData
from synthesis.procedural.derived.data_model import read_data_model
from synthesis.procedural.derived.derive import derive
from synthesis.procedural.derived.seeding import Seeding
from tests.synthesis.procedural.derived.schemas import CLOCK, handed

BLOG = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE);
CREATE TABLE blog_posts (
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, user_id INTEGER NOT NULL REFERENCES users (id));
CREATE TABLE photos (
  id INTEGER PRIMARY KEY, caption TEXT NOT NULL, url TEXT, user_id INTEGER NOT NULL REFERENCES users (id));
CREATE TABLE comments (
  id INTEGER PRIMARY KEY, commentable_type TEXT NOT NULL{check}, commentable_id INTEGER NOT NULL,
  body TEXT NOT NULL, user_id INTEGER NOT NULL REFERENCES users (id));
"""


def _comments(check: str = "") -> tuple[tuple[str, str], ...]:
    model = read_data_model(handed(BLOG.replace("{check}", check)).schema)
    return tuple(pair for pointer in model.relations["comments"].pointers for pair in pointer.tables)


def test_tables_that_may_be_meant_are_called_as_mappers_call_them():
    assert _comments() == (("BlogPost", "blog_posts"), ("Photo", "photos"))


def test_a_check_says_which_tables_are_meant():
    check = " CHECK (commentable_type IN ('photo', 'users'))"
    assert _comments(check) == (("photo", "photos"), ("users", "users"))


def test_a_check_of_other_words_makes_no_pointer():
    assert _comments(" CHECK (commentable_type IN ('short', 'long'))") == ()


@pytest.mark.parametrize(
    "columns",
    [
        "payment_type TEXT NOT NULL, payment_id INTEGER",
        "attachable_type TEXT, attachable_id TEXT",
        "attachable_type INTEGER, attachable_id INTEGER",
        "attachable_type TEXT, attachable_id INTEGER REFERENCES notes (id)",
    ],
)
def test_other_pairs_are_what_they_seem(columns):
    sql = f"""
    CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT);
    CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL, {columns});
    """
    assert read_data_model(handed(sql).schema).relations["files"].pointers == ()


def test_rows_point_to_rows_that_are_there():
    source = handed(BLOG.replace("{check}", ""))
    rows = Seeding(read_data_model(source.schema), source.schema, CLOCK, random.Random(3), None).rows_of_all()
    keys = {"BlogPost": "blog_posts", "Photo": "photos"}
    comments = rows.rows["comments"]
    assert {row["commentable_type"] for row in comments} == set(keys)
    for row in comments:
        assert row["commentable_id"] in {one["id"] for one in rows.rows[keys[row["commentable_type"]]]}


def test_sample_rows_stay_whatever_they_point_to():
    source = handed(BLOG.replace("{check}", ""))
    samples = SeedData(
        rows={
            "users": ({"id": 1, "name": "Ada Moss", "email": "ada@mail.example"},),
            "comments": (
                {"id": 1, "commentable_type": "Photo", "commentable_id": 999, "body": "Nice", "user_id": 1},
            ),
        }
    )
    model = read_data_model(source.schema, samples)
    rows = Seeding(model, source.schema, CLOCK, random.Random(3), samples).rows_of_all()
    assert rows.rows["comments"][0]["commentable_id"] == 999
    assert {row["commentable_type"] for row in rows.rows["comments"]} == {"Photo"}


def test_requests_do_not_speak_of_the_two_columns_and_tools_do_not_set_them():
    environment = derive(handed(BLOG.replace("{check}", "")), seed=1)
    assert not [task.instruction for task in environment.tasks.tasks if "commentable" in task.instruction]
    parameters = {name for tool in environment.tools.tools for name in tool.input_schema["properties"]}
    assert not {"commentable_type", "commentable_id"} & parameters
    assert "add_comment" not in {tool.name for tool in environment.tools.tools}
