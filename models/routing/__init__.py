"""Shares of workloads over tiers: what each tier could take, the cheapest mix, and what would change it."""
