"""What is handed on: copied text, reports on paper, letters, a shift."""
