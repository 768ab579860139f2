-- What the installation takes from clients (domain/account/trading-mode.ts): one row, since there is one mode.
CREATE TABLE trading_mode (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  mode text NOT NULL CHECK (mode IN ('online', 'cancel_only', 'post_only', 'maintenance')),
  reason text,
  changed_at bigint NOT NULL,
  -- Of the admin; null: the command line, or nobody yet.
  changed_by uuid REFERENCES app_user
);

INSERT INTO trading_mode (mode, changed_at) VALUES ('online', 0);
