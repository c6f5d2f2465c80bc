"""Agents act: agents, rollouts and what they leave behind."""
