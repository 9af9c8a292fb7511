"""Spending grants: who may spend the installation's crowd money."""
