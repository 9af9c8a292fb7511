"""Campaigns before launch: settings, texts, pairs, gold pairs, postings, costs and rehearsal copies."""
