-- What an instrument is counted in where that is not its base asset. Null of a derivative venue's: not known until its list is fetched again.
ALTER TABLE instrument
  ADD COLUMN contract_type text CHECK (contract_type IN ('LINEAR', 'INVERSE', 'QUANTO')),
  ADD COLUMN contract_size numeric;
