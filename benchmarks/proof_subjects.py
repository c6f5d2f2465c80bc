"""The environments that suite `proof` proves: by hand, by a model, from own schemas, from sentences."""

from __future__ import annotations

from pathlib import Path

from synthesis.bundles.open import open_bundle
from synthesis.documents.environment import Environment
from synthesis.intake import read
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.recorded_run import RecordedRun, ReplayedRun
from synthesis.procedural.business.author import compose
from synthesis.procedural.derived.derive import derive

DATA = Path(__file__).parent.parent / "tests" / "data"
CLINIC = DATA / "clinic_front_desk"
SCHEMAS = ("chinook", "northwind", "sakila", "quartz", "jupyterhub", "redmine")
EVERY = 5
"""From the third on, one environment in so many is derived from a public schema."""
APPLICATIONS = (
    "A municipal library lends books, games and tools",
    "The front desk of a veterinary clinic",
    "A bicycle repair shop takes orders and invoices its customers",
    "A co-working space rents desks and meeting rooms to members",
    "An online shop sells coffee and ships it",
    "A music school gives lessons and rents out instruments",
    "A property manager handles tenants, rents and repairs",
    "A museum sells tickets and memberships and runs guided tours",
    "A help desk answers tickets of a software company",
    "A catering company plans events and bills them",
    "A car rental with several stations",
    "A food bank collects donations and hands out parcels",
    "A gym with courses, trainers and memberships",
    "A laboratory receives samples and sends reports",
    "A hotel takes bookings, cleans rooms and collects payments",
    "A wholesaler with a warehouse, suppliers and purchase orders",
    "A community college enrols students in courses",
    "A theatre with a box office and a costume store",
    "A plumber's office schedules jobs and orders parts",
    "An insurance broker keeps policies and claims",
)


def name_of(number: int) -> str:
    """What environment a number stands for."""
    if number == 0:
        return "by hand: the clinic"
    if number == 1:
        return "by a model: the recorded run"
    if number % EVERY == 2:
        return f"own schema: {_schema(number)}"
    return APPLICATIONS[number % len(APPLICATIONS)]


def environment_of(number: int) -> Environment:
    """That environment."""
    if number == 0:
        return open_bundle(CLINIC).environment
    if number == 1:
        return _recorded()
    if number % EVERY == 2:
        name = _schema(number)
        source = read(str(DATA / "schemas" / name / f"{name}.sql"))
        return derive(source, seed=number, fewer_tasks=True)
    return compose(APPLICATIONS[number % len(APPLICATIONS)], seed=number)


def _schema(number: int) -> str:
    return SCHEMAS[number // EVERY % len(SCHEMAS)]


def _recorded() -> Environment:
    """What a model wrote, from the run that ships with the package."""
    run = RecordedRun.read()
    author = ModelAuthor(ReplayedRun(run), name="recorded")
    return synthesize(run.request.replace(author="recorded"), authors={"recorded": author}).environment
