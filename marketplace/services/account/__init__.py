"""Accounts: creation, invitations, sign-in and recovery."""
