"""Comparisons, reports, figures and exports of results: a wing that nothing else imports."""
