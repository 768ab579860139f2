-- Several processes on one database (decision 0090): each has its row, and one of them owns it. Rows of before are of owners.
ALTER TABLE gateway_node ADD COLUMN owns boolean NOT NULL DEFAULT true;
