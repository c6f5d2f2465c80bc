"""Categories: kinds of business that an expansion fills evenly unless others are asked for."""

from __future__ import annotations

CATEGORIES = (
    "retail and e-commerce",
    "food and restaurants",
    "travel and hospitality",
    "transport and logistics",
    "healthcare administration",
    "banking and payments",
    "insurance",
    "real estate",
    "education",
    "libraries and archives",
    "public administration",
    "energy and utilities",
    "telecommunications",
    "manufacturing",
    "agriculture",
    "construction and facilities",
    "human resources",
    "legal services",
    "customer support",
    "project management",
    "events and ticketing",
    "sports and fitness",
    "media and streaming",
    "social communities",
    "charity and volunteering",
    "automotive services",
    "veterinary and pets",
    "research and laboratories",
)
"""In no particular order."""
