"""What a suite should satisfy: branches, decisions, mutants and kills, as cover matrices."""
