"""What every use case stands on: the opened base, projects, references and paths."""
