"""A campaign on its way to launch: settings, gold pairs, texts, rehearsal, pilot, check list, launch."""
