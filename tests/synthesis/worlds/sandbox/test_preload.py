"""What a world's code may use must work without a single file."""

from __future__ import annotations

from typing import Any

import pytest

USES = {
    "strptime": "datetime.datetime.strptime('3 March 2026', '%d %B %Y').isoformat()",
    "zones": "datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo('Asia/Tokyo')).utcoffset().seconds",
    "decimal": "str(decimal.Decimal('1.10') + 1)",
    "fractions": "str(fractions.Fraction('0.75'))",
    "statistics": "statistics.median([3, 1, 2])",
    "regex": "re.sub(r'(?i)\\\\bA', 'b', 'a A')",
    "uuid": "str(uuid.UUID(int=1))",
    "hashing": "hashlib.sha256(b'x').hexdigest()[:6]",
    "hashing by name": "hashlib.new('blake2b', b'x').hexdigest()[:6]",
    "encodings": "'ä'.encode('cp1252').decode('latin-1')",
    "idna": "'bücher.example'.encode('idna').decode()",
    "entities": "html.unescape('&amp;')",
    "names": "unicodedata.name('ä')",
    "textwrap": "textwrap.shorten('a b c d e f', 6)",
    "difflib": "difflib.get_close_matches('appel', ['apple'])",
    "calendar": "calendar.month_name[3]",
    "json": "json.loads(json.dumps({'a': [1.5, None]}))",
    "dataclasses": "dataclasses.asdict(dataclasses.make_dataclass('A', ['x'])(1))",
    "typed dictionaries": "typing.get_type_hints(typing.TypedDict('T', {'a': int})) and 1",
    "csv": "list(csv.reader(['a,b']))",
    "secrets": "len(secrets.token_hex(4))",
    "a traceback": "len(traceback.format_exception(ValueError('x')))",
    "sorting much": "sorted(range(100000), key=lambda n: -n)[0]",
    "an unknown zone": "zone('Nowhere/None')",
    "pydantic": "pydantic.create_model('M', a=(int, ...))(a='3').model_dump()",
    "pydantic's late names": "pydantic.RootModel[list[int]]([1]).model_dump_json()",
    "SQLite's sorter": "spill()",
    "full text": "fts()",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_it_works_behind_the_seal_and_loads_nothing(sealed: Any, use: str) -> None:
    code = f"""
import sys
names = 'datetime zoneinfo decimal fractions statistics re uuid hashlib html unicodedata textwrap difflib'
for name in (names + ' calendar json dataclasses typing csv secrets traceback pydantic apsw').split():
    globals()[name] = __import__(name)

def zone(name):
    try: zoneinfo.ZoneInfo(name)
    except zoneinfo.ZoneInfoNotFoundError: return 'unknown'

def spill():
    db = apsw.Connection(':memory:'); db.execute('PRAGMA temp_store = MEMORY; CREATE TABLE t (a)')
    db.execute('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) '
               'INSERT INTO t SELECT hex(randomblob(20)) FROM n')
    return len(db.execute('SELECT a FROM t ORDER BY a').fetchall())

def fts():
    db = apsw.Connection(':memory:'); db.execute('CREATE VIRTUAL TABLE f USING fts5(a)')
    db.execute("INSERT INTO f VALUES ('hello world')")
    return db.execute("SELECT a FROM f WHERE f MATCH 'hello'").fetchall()

before = set(sys.modules)
value = {use}
tell({{'value': value, 'late': sorted(set(sys.modules) - before)}})
"""
    done = sealed(code)
    assert done["status"] == 0
    (message,) = done["told"]
    assert message.get("late") == [], message
    assert message["value"] is not None
