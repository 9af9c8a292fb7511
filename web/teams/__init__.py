"""Teams that submit to a board: their pages, applications and rounds."""
