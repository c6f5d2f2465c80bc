"""Seeds from files, with everything files have."""

import pytest

from synthesis.errors import InvalidInput
from synthesis.pipeline.expansion import seeds
from synthesis.pipeline.expansion.seeds import MOST_REMARKS, parse_seeds, read_seeds


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.txt", "A library\r\n\n  a   LIBRARY\nA clinic\n"),
        ("s.txt", b"\xef\xbb\xbfA library\n\nA library\nA clinic"),
        ("s.jsonl", '"A library"\n\n{"name": "A library", "x": 1}\n{"sentence": "A clinic", "name": "no"}\n'),
        ("s.csv", 'id,Name\n1,A library\n2,\n3,"A library"\n4,"A clinic"\n'),
    ],
)
def test_each_seed_stands_once_whatever_the_format(written, name, content):
    result = read_seeds(written(name, content))
    assert result.texts == ("A library", "A clinic")
    assert (result.duplicates, result.blanks) == (1, 1)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", b"A library\nB\xfcro\n", r"line 2: byte 2 is not UTF-8"),
        ("s.txt", "\n \n", "contains no seed"),
        ("s.txt", "x" * 8_001, "line 1: 8,001 characters"),
        ("s.jsonl", '"A"\n{"name": \n', "line 2: no JSON"),
        ("s.jsonl", '{"colour": "red"}', "line 1: neither a text nor an object"),
        ("s.jsonl", "[1]", "line 1: neither"),
        ("s.csv", "colour\nred\n", "header has none of the columns"),
        ("s.csv", "", "header has none"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_line(written, name, content, message):
    with pytest.raises(InvalidInput, match=message) as raised:
        read_seeds(written(name, content))
    assert str(raised.value).startswith("s.")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"gone\.txt cannot be opened"):
        read_seeds(tmp_path / "gone.txt")


def test_a_million_equal_lines_are_one_seed(written):
    result = read_seeds(written("s.txt", b"A library\n" * 1_000_000))
    assert (len(result.texts), result.duplicates) == (1, 999_999)


def test_a_million_different_lines_are_refused_early(written, monkeypatch):
    monkeypatch.setattr(seeds, "MAX_SEEDS", 1_000)
    content = "\n".join(f"Shop {number}" for number in range(1_000_000))
    with pytest.raises(InvalidInput, match="more than 1,000 different seeds"):
        read_seeds(written("s.txt", content))


def test_what_is_left_out_is_said_by_line():
    result = parse_seeds([b"a desk\n", b"\n", b"A  desk\n", b"a shop\n"], "seeds.txt")
    assert result.remarks == ("line 2 is blank", "line 3 is the same as line 1")
    assert (result.duplicates, result.blanks) == (1, 1)


def test_a_row_of_csv_is_known_by_its_line():
    lines = [b"name,kind\n", b'"a desk,\n', b'of oak",x\n', b'"a desk, of oak",y\n']
    assert parse_seeds(lines, "seeds.csv").remarks == ("line 4 is the same as line 3",)


def test_remarks_do_not_grow_with_the_file():
    result = parse_seeds([b"a desk\n"] * 500, "seeds.txt")
    assert (result.duplicates, len(result.remarks)) == (499, MOST_REMARKS)


def test_a_line_too_many_is_named():
    with pytest.raises(InvalidInput, match=r"seeds\.txt, line 3: more than 2 different seeds"):
        parse_seeds([b"one\n", b"two\n", b"three\n"], "seeds.txt", most=2)
