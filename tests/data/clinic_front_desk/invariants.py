"""What holds at the front desk before and after every call."""


def a_booked_slot_has_one_appointment(db) -> bool:
    """A slot is booked exactly when one appointment that is not cancelled takes it."""
    return not db.query(
        "SELECT s.id FROM slots s LEFT JOIN appointments a ON a.slot_id = s.id AND a.status <> 'cancelled'"
        " GROUP BY s.id HAVING count(a.id) <> (s.status = 'booked')"
    )


def payments_never_exceed_their_invoice(db) -> bool:
    """What was received for an invoice is at most its amount, and all of it where the invoice is paid."""
    return not db.query(
        "SELECT i.id FROM invoices i LEFT JOIN payments p ON p.invoice_id = i.id GROUP BY i.id"
        " HAVING total(p.amount_cents) > i.amount_cents"
        " OR (i.status = 'paid' AND total(p.amount_cents) < i.amount_cents)"
    )


def no_patient_is_in_two_places(db) -> bool:
    """No patient has two scheduled appointments at the same time."""
    return not db.query(
        "SELECT a.id FROM appointments a JOIN slots s ON s.id = a.slot_id"
        " JOIN appointments b ON b.patient_id = a.patient_id AND b.id > a.id JOIN slots t ON t.id = b.slot_id"
        " WHERE a.status = 'scheduled' AND b.status = 'scheduled'"
        " AND s.starts_at < t.ends_at AND t.starts_at < s.ends_at"
    )
