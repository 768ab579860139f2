-- Nothing has ever written seals of the audit's heads: what heads were is printed by `audit verify`, and kept where the operator keeps it.
DROP TABLE audit_seal;
