// Placeholder until the first test of this target stands.
