"""Fields that suggest what there is: titles in, names out."""

from __future__ import annotations

from django import forms

from studio.forms.picked import PickedField, PickedNumber
from studio.services.browse import pickers
from studio.services.browse.pickers import Option

WORLDS = [Option("clinic_1", "Clinic"), Option("shop, east", "Shop, east"), Option("shop_2", "Shop")]


class WorldForm(forms.Form):
    world = PickedField(options=lambda: WORLDS, several=True, required=False)
    run = PickedNumber(options=lambda: [Option("7", "7: reference in Clinic")], required=False)


def read(**values: str) -> WorldForm:
    form = WorldForm(values)
    form.is_valid()
    return form


def test_a_title_or_a_name_is_the_name() -> None:
    for text, name in (
        ("Clinic", "clinic_1"),
        ("clinic", "clinic_1"),
        ("clinic_1", "clinic_1"),
        ("other", "other"),
    ):
        assert read(world=text).cleaned_data["world"] == name


def test_several_are_separated_by_commas_unless_the_whole_is_a_title() -> None:
    assert read(world="Clinic, shop_2, Shop").cleaned_data["world"] == "clinic_1, shop_2, shop_2"
    assert read(world="Shop, east").cleaned_data["world"] == "shop, east"


def test_a_run_is_named_by_its_title_or_its_number() -> None:
    assert read(run="7: reference in Clinic").cleaned_data["run"] == 7
    assert read(run="12").cleaned_data["run"] == 12
    assert read(run="").cleaned_data["run"] is None
    assert "Choose one that is suggested" in str(read(run="the last one").errors["run"])


def test_what_is_stored_is_shown_by_its_title_and_suggested_once() -> None:
    html = str(WorldForm(initial={"world": "clinic_1"})["world"])
    assert 'value="Clinic"' in html
    assert 'list="id_world-options"' in html
    assert html.count("<option") == len(WORLDS)


def test_suggestions_are_asked_for_once_by_each_form() -> None:
    asked: list[int] = []

    class CountedForm(forms.Form):
        world = PickedField(options=lambda: asked.append(1) or WORLDS, required=False)  # type: ignore[func-returns-value]

    for _ in range(2):
        form = CountedForm({"world": "Clinic"})
        assert form.is_valid()
        str(form["world"])
    assert len(asked) == 2


def test_suggestions_are_text() -> None:
    class HostileForm(forms.Form):
        world = PickedField(options=lambda: [Option("x", '"><script>alert(1)</script>')], required=False)

    assert "<script>" not in str(HostileForm()["world"])


def test_a_name_comes_before_another_ones_title_and_capitals_alone_tell_none_apart() -> None:
    pairs = [("crm", "Sales"), ("sales_desk", "CRM"), ("one", "Desk"), ("two", "desk")]
    options = pickers._distinct(pairs)
    assert pickers.value_of(options, "crm") == "crm"
    assert pickers.value_of(options, "sales") == "crm"
    assert [option.title for option in options[2:]] == ["Desk (one)", "desk (two)"]
