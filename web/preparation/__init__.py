"""The preparation of a campaign: settings, gold pairs, texts, rehearsal, pilot, check list, launch."""
