"""Users, invitations, API tokens, and what each role permits. Imports only config."""
