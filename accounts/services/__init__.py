"""Services for invitations, API tokens and the lookup of people."""
