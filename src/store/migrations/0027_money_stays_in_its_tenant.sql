-- Money stays in its tenant. Transfers that somebody asked for are refused by ledger_authority; this is said of all the others, the gateway's
-- own: a settlement or a hold between wallets of two tenants is a defect of ours, and nothing of its request is stored. Of new rows alone: there
-- were trades between tenants while they shared the markets of INTERNAL. What is held is always let go.
CREATE FUNCTION ledger_within_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE it uuid;
BEGIN
  SELECT n.transfer_id INTO it
    FROM written n JOIN wallet d ON d.wallet_id = n.debit_wallet_id JOIN wallet c ON c.wallet_id = n.credit_wallet_id
   WHERE d.tenant_id <> c.tenant_id AND n.kind <> 'void' LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transfer % is between wallets of two tenants', it USING ERRCODE = '23514', CONSTRAINT = 'ledger_within_tenant';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER within_tenant AFTER INSERT ON ledger_transfer REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_within_tenant();
