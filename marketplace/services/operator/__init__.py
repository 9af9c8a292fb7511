"""The operator's services: requesters, payouts, erasure of personal data, cleanup."""
