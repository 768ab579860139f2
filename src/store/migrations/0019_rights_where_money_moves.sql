-- Who may move money, asked where it moves: in the transaction, under the locks. `frozen` stands beside `status` in every balance, and a
-- request that somebody asked for carries who asks and by which right.

ALTER TABLE wallet ADD UNIQUE (wallet_id, allow_negative, status, frozen);
ALTER TABLE wallet_balance ADD COLUMN frozen boolean;
UPDATE wallet_balance b SET frozen = w.frozen FROM wallet w WHERE w.wallet_id = b.wallet_id;
ALTER TABLE wallet_balance
  ALTER COLUMN frozen SET NOT NULL,
  DROP CONSTRAINT wallet_balance_wallet_id_allow_negative_status_fkey,
  ADD FOREIGN KEY (wallet_id, allow_negative, status, frozen) REFERENCES wallet (wallet_id, allow_negative, status, frozen) ON UPDATE CASCADE;
ALTER TABLE wallet DROP CONSTRAINT wallet_wallet_id_allow_negative_status_key;

-- Who asks, and whether the right is there: [[right, user, session, dealer], ...], rights OWNER, ADMIN and DEALER; one row each, in order,
-- with null or why not. Locked in order of ids, after wallets and balances: FOR SHARE, since a plain read between the two commits of a
-- revocation and of a move would see them in the wrong order. One that is being changed for longer than a second is Busy, and holds up
-- nobody else.
CREATE FUNCTION authority_of(asked jsonb) RETURNS TABLE (o bigint, word text, detail jsonb, tenant_id text, is_admin boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  users uuid[]; sessions uuid[]; dealers uuid[]; patience text := current_setting('lock_timeout');
BEGIN
  SELECT array_agg(DISTINCT (x ->> 1)::uuid), array_agg(DISTINCT (x ->> 2)::uuid), array_agg(DISTINCT (x ->> 3)::uuid)
    INTO users, sessions, dealers FROM jsonb_array_elements(asked) x;
  BEGIN
    PERFORM set_config('lock_timeout', '1s', true);
    PERFORM 1 FROM app_user u WHERE u.user_id = ANY (users) ORDER BY u.user_id FOR SHARE;
    PERFORM 1 FROM session s WHERE s.session_id = ANY (sessions) ORDER BY s.session_id FOR SHARE;
    PERFORM 1 FROM dealer d WHERE d.dealer_account_id = ANY (dealers) ORDER BY d.dealer_account_id FOR SHARE;
    PERFORM set_config('lock_timeout', patience, true);
  EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    users := ARRAY (SELECT u.user_id FROM app_user u WHERE u.user_id = ANY (users) ORDER BY u.user_id FOR SHARE SKIP LOCKED);
    sessions := ARRAY (SELECT s.session_id FROM session s WHERE s.session_id = ANY (sessions) ORDER BY s.session_id FOR SHARE SKIP LOCKED);
    dealers := ARRAY (SELECT d.dealer_account_id FROM dealer d WHERE d.dealer_account_id = ANY (dealers) ORDER BY d.dealer_account_id
                      FOR SHARE SKIP LOCKED);
  END;
  RETURN QUERY
    SELECT a.o, CASE
        WHEN (u.user_id IS NOT NULL AND u.user_id <> ALL (users)) OR (s.session_id IS NOT NULL AND s.session_id <> ALL (sessions))
          OR (d.dealer_account_id IS NOT NULL AND d.dealer_account_id <> ALL (dealers)) THEN 'Busy'
        WHEN u.banned_at IS NOT NULL OR s.revoked_at IS NOT NULL OR s.user_id IS DISTINCT FROM u.user_id OR u.user_id IS NULL THEN 'SessionRevoked'
        WHEN a.access = 'ADMIN' AND 'admin' <> ALL (u.permissions) THEN 'AdminRequired'
        WHEN 'write' <> ALL (u.permissions) THEN 'InsufficientPermissions'
        WHEN a.access = 'DEALER' AND (d.tenant_id IS DISTINCT FROM u.tenant_id
          OR ('admin' <> ALL (u.permissions) AND NOT coalesce((d.config -> 'operators')::jsonb ? u.user_id::text, false))) THEN 'AccountForbidden'
      END, jsonb_build_object('provided', to_jsonb(u.permissions)), u.tenant_id, coalesce('admin' = ANY (u.permissions), false)
    FROM (SELECT e.o, e.x ->> 0 AS access, (e.x ->> 1)::uuid AS user_id, (e.x ->> 2)::uuid AS session_id, (e.x ->> 3)::uuid AS dealer
            FROM jsonb_array_elements(asked) WITH ORDINALITY AS e (x, o)) a
    LEFT JOIN app_user u ON u.user_id = a.user_id
    LEFT JOIN session s ON s.session_id = a.session_id
    LEFT JOIN dealer d ON d.dealer_account_id = a.dealer
    ORDER BY a.o;
END $$;

-- What each right reaches, for the requests of a batch that somebody asked for: one row each, in order. OWNER: out of the user's own
-- wallet; what is not held but moved stays the user's, and out of a wallet of one dealer with that dealer. ADMIN: wallets of the tenant.
-- DEALER: out of the dealer's own wallet, and between its own. Owner, tenant, type and dealer of a wallet never change.
CREATE FUNCTION ledger_authority(actors jsonb, t_request int[], t_kind text[], t_debit uuid[], t_credit uuid[])
  RETURNS TABLE (request int, word text, detail jsonb, refused_at int, is_admin boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  a_request int[]; a_right text[]; a_user uuid[]; a_session uuid[]; a_dealer uuid[];
BEGIN
  SELECT array_agg((e.x ->> 0)::int ORDER BY e.o), array_agg(e.x ->> 1 ORDER BY e.o), array_agg((e.x ->> 2)::uuid ORDER BY e.o),
         array_agg((e.x ->> 3)::uuid ORDER BY e.o), array_agg(CASE WHEN e.x ->> 1 = 'DEALER' THEN (
           SELECT w.dealer_account_id FROM unnest(t_request, t_debit) AS t (request, debit) JOIN wallet w ON w.wallet_id = t.debit
            WHERE t.request = (e.x ->> 0)::int AND w.wallet_type = 'DEALER' LIMIT 1) END ORDER BY e.o)
    INTO a_request, a_right, a_user, a_session, a_dealer
    FROM jsonb_array_elements(actors) WITH ORDINALITY AS e (x, o);
  RETURN QUERY
  WITH asked AS (
    SELECT e.request, e.access, e.user_id, e.dealer, p.*
      FROM unnest(a_request, a_right, a_user, a_dealer) WITH ORDINALITY AS e (request, access, user_id, dealer, o)
      JOIN authority_of((SELECT jsonb_agg(jsonb_build_array(y.access, y.user_id, y.session_id, y.dealer) ORDER BY y.o)
        FROM unnest(a_right, a_user, a_session, a_dealer) WITH ORDINALITY AS y (access, user_id, session_id, dealer, o))) p USING (o)
  ), beyond AS (
    SELECT a.request, t.n - min(t.n) OVER (PARTITION BY a.request) AS at, CASE
        WHEN d.tenant_id IS DISTINCT FROM a.tenant_id OR c.tenant_id IS DISTINCT FROM a.tenant_id THEN 'WalletNotFound'
        WHEN a.access = 'ADMIN' THEN NULL
        WHEN a.access = 'OWNER' AND d.user_id = a.user_id THEN
          CASE WHEN t.kind = 'single' AND (c.user_id IS DISTINCT FROM a.user_id
            OR (d.dealer_account_id IS NOT NULL AND c.dealer_account_id IS DISTINCT FROM d.dealer_account_id)) THEN 'WalletsUnrelated' END
        WHEN a.access = 'DEALER' AND d.wallet_type = 'DEALER' AND d.dealer_account_id = a.dealer THEN
          CASE WHEN t.kind = 'single' AND (c.wallet_type <> 'DEALER' OR c.dealer_account_id IS DISTINCT FROM a.dealer) THEN 'WalletsUnrelated' END
        ELSE 'WalletNotFound'
      END AS word
      FROM asked a
      JOIN unnest(t_request, t_kind, t_debit, t_credit) WITH ORDINALITY AS t (request, kind, debit, credit, n) ON t.request = a.request
      LEFT JOIN wallet d ON d.wallet_id = t.debit
      LEFT JOIN wallet c ON c.wallet_id = t.credit
  ), first AS (
    SELECT DISTINCT ON (request) request, at, word FROM beyond WHERE word IS NOT NULL ORDER BY request, at
  )
  SELECT a.request, coalesce(a.word, f.word), CASE WHEN a.word IS NOT NULL THEN a.detail END, coalesce(CASE WHEN a.word IS NULL THEN f.at END, 0)::int, a.is_admin
    FROM asked a LEFT JOIN first f ON f.request = a.request AND a.word IS NULL ORDER BY a.request;
END $$;

-- One batch of requests, one transaction. Null: the fence is gone. Else {results, balances}, results in the order of the requests:
-- [failure | null, detail, refusedAt, replayed]; balances [request, wallet, asset, balance, held], after that request.
--
--   batch.requests   [[id, fingerprint, at], ...]          ids of requests and of transfers are each unique in a batch: the writer sees to it
--   batch.transfers  [[request, kind, id, pending, debit, credit, asset, amount, code, reference, expiresAt], ...]   in order of requests, which count from 1
--   batch.guards     [[request, index, tag, row], ...]     in order of requests
--   batch.facts      {tag: [[request, row], ...], ...}
--   batch.actors     [[request, right, user, session], ...]   in order of requests; those that are not among them are the gateway's own
--   batch.acts       [[request, act], ...]                 in order of requests: rows of the audit, as audit_write reads them without at and result
--
-- Under READ COMMITTED: wallets of new balance rows first (FOR KEY SHARE, so that the status copied is the one that stays), then all
-- balance rows, both in the order of their keys; after that every request is judged in memory, in order, by what those before it have
-- left, and the outcome is written by one statement per table. Everything is looked up in arrays by position or in jsonb by key: a
-- batch costs what its length says.
--
-- As in 0006, and who asks is asked in here, after the locks on the balances: a right that was taken away before moves nothing, and one
-- that is taken away meanwhile waits for this batch. What is known is answered as it ended, whoever asks again.
CREATE OR REPLACE FUNCTION ledger_apply(batch jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  r_id uuid[]; r_fingerprint uuid[]; r_at bigint[];
  r_failure text[]; r_detail jsonb[]; r_refused_at int[]; r_known boolean[]; r_replayed boolean[];
  t_request int[]; t_kind text[]; t_id uuid[]; t_pending uuid[]; t_debit uuid[]; t_credit uuid[]; t_asset text[]; t_amount numeric[];
  t_code text[]; t_reference text[]; t_expires bigint[]; t_new boolean[]; t_bad boolean[];
  h_id uuid[]; h_debit uuid[]; h_credit uuid[]; h_asset text[]; h_amount numeric[]; h_expires bigint[]; h_open boolean[]; h_made boolean[];
  h_index jsonb := '{}';
  b_wallet uuid[]; b_asset text[]; b_status text[]; b_frozen boolean[]; b_free boolean[]; b_version bigint[]; b_changed boolean[];
  b_dp numeric[]; b_cp numeric[]; b_dq numeric[]; b_cq numeric[]; b_mark int[];
  b_index jsonb;
  o_request int[]; o_balance int[]; o_posted numeric[]; o_held numeric[]; o_count int := 0;
  -- Of requests that somebody asked for.
  a_word text[]; a_detail jsonb[]; a_at int[]; a_admin boolean[]; acting boolean; act record;
  -- What a request has changed so far, to be taken back when it is refused.
  u_d int[]; u_c int[]; u_posted numeric[]; u_pending numeric[]; u_hold int[]; u_opened boolean[]; u_count int;
  known jsonb; known_transfers jsonb; rejected jsonb; missing uuid[]; refs uuid[]; ended uuid[]; stored jsonb;
  requests int; transfers int; guards int; i int := 1; first int; g int := 1; g_request int[]; g_index int[]; g_tag text[]; g_row jsonb[];
  failure text; detail jsonb; refused_at int; word text; kind text; d int; c int; h int; amount numeric; posted numeric; pending numeric;
  n int; tag text; top constant numeric := 1e36;
BEGIN
  PERFORM 1 FROM gateway_node WHERE node_id = batch ->> 'node' AND epoch = (batch ->> 'epoch')::bigint FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;

  SELECT array_agg((x ->> 0)::uuid ORDER BY o), array_agg((x ->> 1)::uuid ORDER BY o), array_agg((x ->> 2)::bigint ORDER BY o)
    INTO r_id, r_fingerprint, r_at
    FROM jsonb_array_elements(batch -> 'requests') WITH ORDINALITY AS e (x, o);
  SELECT array_agg((x ->> 0)::int ORDER BY o), array_agg(x ->> 1 ORDER BY o), array_agg((x ->> 2)::uuid ORDER BY o),
         array_agg((x ->> 3)::uuid ORDER BY o), array_agg((x ->> 4)::uuid ORDER BY o), array_agg((x ->> 5)::uuid ORDER BY o),
         array_agg(x ->> 6 ORDER BY o), array_agg((x ->> 7)::numeric ORDER BY o), array_agg(x ->> 8 ORDER BY o),
         array_agg(x ->> 9 ORDER BY o), array_agg((x ->> 10)::bigint ORDER BY o)
    INTO t_request, t_kind, t_id, t_pending, t_debit, t_credit, t_asset, t_amount, t_code, t_reference, t_expires
    FROM jsonb_array_elements(batch -> 'transfers') WITH ORDINALITY AS e (x, o);
  SELECT array_agg((x ->> 0)::int ORDER BY o), array_agg((x ->> 1)::int ORDER BY o), array_agg(x ->> 2 ORDER BY o), array_agg(x -> 3 ORDER BY o)
    INTO g_request, g_index, g_tag, g_row
    FROM jsonb_array_elements(batch -> 'guards') WITH ORDINALITY AS e (x, o);
  requests := coalesce(array_length(r_id, 1), 0);
  transfers := coalesce(array_length(t_id, 1), 0);
  guards := coalesce(array_length(g_request, 1), 0);

  -- Holds that are spoken of. The journal's rows never change, so that they may be read before anything is locked.
  SELECT array_agg(DISTINCT p) INTO refs FROM unnest(t_pending) p WHERE p IS NOT NULL;
  IF refs IS NOT NULL THEN
    SELECT array_agg(x.id), array_agg(x.debit), array_agg(x.credit), array_agg(x.asset), array_agg(x.amount), array_agg(x.expires), array_agg(x.made)
      INTO h_id, h_debit, h_credit, h_asset, h_amount, h_expires, h_made
      FROM (
        SELECT j.transfer_id AS id, j.debit_wallet_id AS debit, j.credit_wallet_id AS credit, j.asset, j.amount::numeric AS amount,
               j.expires_at AS expires, true AS made
          FROM ledger_transfer j WHERE j.transfer_id = ANY (refs) AND j.kind = 'pending'
        UNION ALL
        SELECT u.id, u.debit, u.credit, u.asset, u.amount, u.expires, false
          FROM unnest(t_kind, t_id, t_debit, t_credit, t_asset, t_amount, t_expires) AS u (kind, id, debit, credit, asset, amount, expires)
         WHERE u.kind = 'pending' AND u.id IN (SELECT unnest(refs)) AND u.id NOT IN
           (SELECT j.transfer_id FROM ledger_transfer j WHERE j.transfer_id = ANY (refs) AND j.kind = 'pending')
      ) x;
    SELECT coalesce(jsonb_object_agg(id, o), '{}') INTO h_index FROM unnest(h_id) WITH ORDINALITY AS u (id, o);
  END IF;

  SELECT array_agg(w ORDER BY w, a), array_agg(a ORDER BY w, a) INTO b_wallet, b_asset
    FROM (SELECT * FROM unnest(t_debit, t_asset) AS x (w, a) UNION SELECT * FROM unnest(t_credit, t_asset)
          UNION SELECT * FROM unnest(h_debit, h_asset) UNION SELECT * FROM unnest(h_credit, h_asset)) k
   WHERE w IS NOT NULL AND a IS NOT NULL;
  SELECT array_agg(DISTINCT k.w) INTO missing
    FROM unnest(b_wallet, b_asset) AS k (w, a)
   WHERE NOT EXISTS (SELECT 1 FROM wallet_balance b WHERE b.wallet_id = k.w AND b.asset = k.a);
  IF missing IS NOT NULL THEN
    PERFORM 1 FROM wallet w WHERE w.wallet_id = ANY (missing) ORDER BY w.wallet_id FOR KEY SHARE;
  END IF;
  PERFORM 1 FROM wallet_balance b JOIN unnest(b_wallet, b_asset) AS k (w, a) ON b.wallet_id = k.w AND b.asset = k.a
    ORDER BY b.wallet_id, b.asset FOR NO KEY UPDATE OF b;
  SELECT array_agg(coalesce(b.status, w.status) ORDER BY k.o), array_agg(coalesce(b.frozen, w.frozen) ORDER BY k.o),
         array_agg(coalesce(b.allow_negative, w.allow_negative) ORDER BY k.o),
         array_agg(b.version ORDER BY k.o), array_agg(coalesce(b.debits_posted, 0)::numeric ORDER BY k.o),
         array_agg(coalesce(b.credits_posted, 0)::numeric ORDER BY k.o), array_agg(coalesce(b.debits_pending, 0)::numeric ORDER BY k.o),
         array_agg(coalesce(b.credits_pending, 0)::numeric ORDER BY k.o), jsonb_object_agg(k.w || ' ' || k.a, k.o),
         array_agg(false), array_agg(0)
    INTO b_status, b_frozen, b_free, b_version, b_dp, b_cp, b_dq, b_cq, b_index, b_changed, b_mark
    FROM unnest(b_wallet, b_asset) WITH ORDINALITY AS k (w, a, o)
    LEFT JOIN wallet_balance b ON b.wallet_id = k.w AND b.asset = k.a
    LEFT JOIN wallet w ON w.wallet_id = k.w AND b.wallet_id IS NULL;

  -- From here on nobody else moves what we look at.
  SELECT jsonb_object_agg(q.request_id, jsonb_build_array(q.batch_id = (batch ->> 'id')::uuid, q.fingerprint, q.failure, q.detail, q.refused_at))
    INTO known FROM ledger_request q WHERE q.request_id = ANY (r_id);
  SELECT jsonb_object_agg(j.transfer_id, jsonb_build_array(j.kind, j.pending_id, j.debit_wallet_id, j.credit_wallet_id, j.asset,
           trim_scale(j.amount), j.code, j.reference))
    INTO known_transfers FROM ledger_transfer j WHERE j.transfer_id = ANY (t_id);
  SELECT jsonb_object_agg(j.transfer_id, jsonb_build_array(j.failure, j.detail)) INTO rejected FROM ledger_rejected j WHERE j.transfer_id = ANY (t_id);
  IF h_id IS NOT NULL THEN
    SELECT array_agg(l.transfer_id IS NOT NULL ORDER BY u.o) INTO h_open
      FROM unnest(h_id) WITH ORDINALITY AS u (id, o) LEFT JOIN ledger_hold l ON l.transfer_id = u.id;
  END IF;

  acting := coalesce(jsonb_array_length(batch -> 'actors'), 0) > 0;
  IF acting THEN
    FOR act IN SELECT * FROM ledger_authority(batch -> 'actors', t_request, t_kind, t_debit, t_credit) LOOP
      a_word[act.request] := act.word; a_detail[act.request] := act.detail; a_at[act.request] := act.refused_at; a_admin[act.request] := act.is_admin;
    END LOOP;
  END IF;

  IF requests > 0 THEN
    r_failure := array_fill(NULL::text, ARRAY[requests]); r_detail := array_fill(NULL::jsonb, ARRAY[requests]);
    r_refused_at := array_fill(NULL::int, ARRAY[requests]); r_known := array_fill(false, ARRAY[requests]);
    r_replayed := array_fill(false, ARRAY[requests]);
  END IF;
  IF transfers > 0 THEN
    t_new := array_fill(false, ARRAY[transfers]); t_bad := array_fill(false, ARRAY[transfers]);
    o_request := array_fill(0, ARRAY[2 * transfers]); o_balance := array_fill(0, ARRAY[2 * transfers]);
    o_posted := array_fill(0::numeric, ARRAY[2 * transfers]); o_held := array_fill(0::numeric, ARRAY[2 * transfers]);
    u_d := array_fill(0, ARRAY[transfers]); u_c := array_fill(0, ARRAY[transfers]); u_posted := array_fill(0::numeric, ARRAY[transfers]);
    u_pending := array_fill(0::numeric, ARRAY[transfers]); u_hold := array_fill(0, ARRAY[transfers]); u_opened := array_fill(false, ARRAY[transfers]);
  END IF;

  FOR r IN 1 .. requests LOOP
    first := i;
    failure := NULL; detail := NULL; refused_at := NULL; u_count := 0;
    stored := known -> (r_id[r]::text);
    IF stored IS NOT NULL THEN
      r_known[r] := true;
      r_replayed[r] := NOT (stored ->> 0)::boolean;
      IF (stored ->> 1)::uuid <> r_fingerprint[r] THEN failure := 'id used otherwise'; refused_at := 0;
      ELSE failure := stored ->> 2; detail := nullif(stored -> 3, 'null'); refused_at := (stored ->> 4)::int; END IF;
    ELSIF acting AND a_word[r] IS NOT NULL THEN
      failure := a_word[r]; detail := a_detail[r]; refused_at := a_at[r];
    END IF;

    WHILE i <= transfers AND t_request[i] = r LOOP
      IF stored IS NOT NULL OR failure IS NOT NULL THEN
        i := i + 1;
        CONTINUE;
      END IF;
      kind := t_kind[i]; amount := t_amount[i]; h := NULL; word := NULL;
      IF kind IN ('post', 'void') THEN
        h := (h_index ->> (t_pending[i]::text))::int;
        IF h IS NOT NULL AND h_made[h] THEN
          t_debit[i] := h_debit[h]; t_credit[i] := h_credit[h]; t_asset[i] := h_asset[h];
          IF kind = 'void' OR amount IS NULL THEN amount := h_amount[h]; t_amount[i] := amount; END IF;
        ELSE
          h := NULL;
        END IF;
      END IF;
      d := (b_index ->> (t_debit[i] || ' ' || t_asset[i]))::int;
      c := (b_index ->> (t_credit[i] || ' ' || t_asset[i]))::int;

      IF known_transfers IS NOT NULL AND known_transfers ? (t_id[i]::text) THEN
        IF known_transfers -> (t_id[i]::text) IS DISTINCT FROM
           jsonb_build_array(kind, t_pending[i], t_debit[i], t_credit[i], t_asset[i], trim_scale(amount), t_code[i], t_reference[i]) THEN
          word := 'id used otherwise';
        END IF;
      ELSIF rejected IS NOT NULL AND rejected ? (t_id[i]::text) THEN
        word := rejected -> (t_id[i]::text) ->> 0;
        detail := nullif(rejected -> (t_id[i]::text) -> 1, 'null');
      ELSE
        IF kind IN ('post', 'void') THEN
          IF h IS NULL THEN word := 'no such hold';
          ELSIF NOT h_open[h] THEN word := 'hold resolved';
          ELSIF kind = 'post' AND h_expires[h] <= r_at[r] THEN word := 'hold expired';
          ELSIF amount > h_amount[h] THEN word := 'more than is held';
          END IF;
        END IF;
        IF word IS NULL AND kind <> 'void' THEN
          IF d IS NULL OR c IS NULL OR b_status[d] IS NULL OR b_status[c] IS NULL THEN word := 'WalletNotFound';
          ELSIF b_status[c] = 'FROZEN' OR b_status[d] = 'FROZEN' THEN word := 'WalletFrozen';
          ELSIF b_status[c] = 'CLOSED' THEN word := 'WalletClosed';
          ELSIF b_status[d] = 'CLOSED' THEN
            -- One thing is left to a closed wallet: what it holds of an asset leaves, whole.
            IF kind <> 'single' THEN word := 'WalletClosed';
            -- Of one that was frozen when it was closed only an admin lets it go.
            ELSIF b_frozen[d] AND (NOT acting OR a_admin[r] IS NOT TRUE) THEN word := 'WalletFrozen';
            ELSIF b_dq[d] > 0 OR b_cq[d] > 0 OR amount <> b_cp[d] - b_dp[d] THEN
              word := 'OnlyFullWithdrawal'; detail := jsonb_build_object('asset', t_asset[i]);
            END IF;
          END IF;
        END IF;
        IF word IS NULL THEN
          posted := CASE WHEN kind IN ('single', 'post') THEN amount ELSE 0 END;
          pending := CASE WHEN kind = 'pending' THEN amount WHEN kind = 'single' THEN 0 ELSE -h_amount[h] END;
          IF NOT b_free[d] AND kind IN ('single', 'pending') AND b_dp[d] + b_dq[d] + amount > b_cp[d] THEN
            word := 'InsufficientBalance';
            detail := jsonb_build_object('asset', t_asset[i], 'required', trim_scale(amount)::text,
                                         'available', trim_scale(b_cp[d] - b_dp[d] - b_dq[d])::text);
          ELSIF b_dp[d] + b_dq[d] + posted + pending >= top OR b_cp[c] + b_cq[c] + posted + pending >= top THEN
            word := 'out of range';
          END IF;
        END IF;
        IF word IS NULL THEN
          u_count := u_count + 1;
          u_d[u_count] := d; u_c[u_count] := c; u_posted[u_count] := posted; u_pending[u_count] := pending; u_hold[u_count] := coalesce(h, 0);
          b_dp[d] := b_dp[d] + posted; b_cp[c] := b_cp[c] + posted;
          b_dq[d] := b_dq[d] + pending; b_cq[c] := b_cq[c] + pending;
          t_new[i] := true;
          IF h IS NOT NULL THEN
            h_open[h] := false; u_opened[u_count] := false;
          ELSIF kind = 'pending' AND h_index ? (t_id[i]::text) THEN
            -- A later transfer of this batch speaks of it.
            h := (h_index ->> (t_id[i]::text))::int;
            h_open[h] := true; h_made[h] := true;
            u_hold[u_count] := h; u_opened[u_count] := true;
          END IF;
        ELSE
          t_bad[i] := true;
        END IF;
      END IF;
      IF word IS NOT NULL THEN failure := word; refused_at := i - first; END IF;
      i := i + 1;
    END LOOP;

    -- Guards write as they pass; what they wrote goes when one of them refuses.
    IF failure IS NULL AND stored IS NULL AND g <= guards AND g_request[g] = r THEN
      BEGIN
        WHILE g <= guards AND g_request[g] = r LOOP
          EXECUTE format('SELECT %I($1, $2)', 'ledger_guard_' || g_tag[g]) INTO word USING g_row[g], r_at[r];
          IF word IS NOT NULL THEN
            refused_at := i - first + g_index[g];
            RAISE EXCEPTION USING ERRCODE = 'LG001', MESSAGE = word;
          END IF;
          g := g + 1;
        END LOOP;
      EXCEPTION WHEN SQLSTATE 'LG001' THEN
        failure := 'guard'; detail := jsonb_build_object('word', word);
      END;
    END IF;
    WHILE g <= guards AND g_request[g] = r LOOP g := g + 1; END LOOP;

    IF failure IS NOT NULL AND stored IS NULL THEN
      FOR k IN REVERSE u_count .. 1 LOOP
        b_dp[u_d[k]] := b_dp[u_d[k]] - u_posted[k]; b_cp[u_c[k]] := b_cp[u_c[k]] - u_posted[k];
        b_dq[u_d[k]] := b_dq[u_d[k]] - u_pending[k]; b_cq[u_c[k]] := b_cq[u_c[k]] - u_pending[k];
        IF u_hold[k] > 0 THEN
          h_open[u_hold[k]] := NOT u_opened[k];
          IF u_opened[k] THEN h_made[u_hold[k]] := false; END IF;
        END IF;
      END LOOP;
      FOR k IN first .. i - 1 LOOP t_new[k] := false; END LOOP;
    END IF;
    r_failure[r] := failure; r_detail[r] := detail; r_refused_at[r] := refused_at;

    IF failure IS NULL THEN
      FOR k IN first .. i - 1 LOOP
        IF stored IS NOT NULL AND t_pending[k] IS NOT NULL THEN
          h := (h_index ->> (t_pending[k]::text))::int;
          t_debit[k] := h_debit[h]; t_credit[k] := h_credit[h]; t_asset[k] := h_asset[h];
        END IF;
        d := (b_index ->> (t_debit[k] || ' ' || t_asset[k]))::int;
        c := (b_index ->> (t_credit[k] || ' ' || t_asset[k]))::int;
        IF t_new[k] THEN b_changed[d] := true; b_changed[c] := true; END IF;
        IF b_mark[d] <> r THEN
          b_mark[d] := r; o_count := o_count + 1;
          o_request[o_count] := r; o_balance[o_count] := d; o_posted[o_count] := b_cp[d] - b_dp[d]; o_held[o_count] := b_dq[d];
        END IF;
        IF b_mark[c] <> r THEN
          b_mark[c] := r; o_count := o_count + 1;
          o_request[o_count] := r; o_balance[o_count] := c; o_posted[o_count] := b_cp[c] - b_dp[c]; o_held[o_count] := b_dq[c];
        END IF;
      END LOOP;
    END IF;
  END LOOP;

  INSERT INTO ledger_request (request_id, batch_id, fingerprint, failure, detail, refused_at, at)
    SELECT u.id, (batch ->> 'id')::uuid, u.fingerprint, u.failure, u.detail, u.refused_at, u.at
      FROM unnest(r_id, r_fingerprint, r_at, r_failure, r_detail, r_refused_at, r_known) AS u (id, fingerprint, at, failure, detail, refused_at, known)
     WHERE NOT u.known;
  INSERT INTO ledger_transfer (transfer_id, request_id, kind, pending_id, debit_wallet_id, credit_wallet_id, asset, amount, code, reference, expires_at, at)
    SELECT u.id, r_id[u.request], u.kind, u.pending, u.debit, u.credit, u.asset, u.amount, u.code, u.reference, u.expires, r_at[u.request]
      FROM unnest(t_new, t_request, t_id, t_kind, t_pending, t_debit, t_credit, t_asset, t_amount, t_code, t_reference, t_expires)
           WITH ORDINALITY AS u (new, request, id, kind, pending, debit, credit, asset, amount, code, reference, expires, o)
     WHERE u.new ORDER BY u.o;
  INSERT INTO ledger_rejected (transfer_id, request_id, failure, detail, at)
    SELECT u.id, r_id[u.request], r_failure[u.request], r_detail[u.request], r_at[u.request]
      FROM unnest(t_bad, t_request, t_id) AS u (bad, request, id) WHERE u.bad;

  SELECT array_agg(u.pending) INTO ended FROM unnest(t_new, t_pending) AS u (new, pending) WHERE u.new AND u.pending IS NOT NULL;
  INSERT INTO ledger_hold (transfer_id, debit_wallet_id, credit_wallet_id, asset, amount, code, reference, expires_at)
    SELECT u.id, u.debit, u.credit, u.asset, u.amount, u.code, u.reference, u.expires
      FROM unnest(t_new, t_id, t_kind, t_debit, t_credit, t_asset, t_amount, t_code, t_reference, t_expires)
           AS u (new, id, kind, debit, credit, asset, amount, code, reference, expires)
     WHERE u.new AND u.kind = 'pending';
  IF ended IS NOT NULL THEN
    DELETE FROM ledger_hold l WHERE l.transfer_id = ANY (ended);
  END IF;

  -- A row that somebody else has moved meanwhile, which the locks forbid, ends the batch: it is sent again.
  UPDATE wallet_balance b SET debits_posted = u.dp, credits_posted = u.cp, debits_pending = u.dq, credits_pending = u.cq, version = b.version + 1
    FROM unnest(b_changed, b_wallet, b_asset, b_version, b_dp, b_cp, b_dq, b_cq) AS u (changed, wallet, asset, version, dp, cp, dq, cq)
   WHERE u.changed AND b.wallet_id = u.wallet AND b.asset = u.asset AND b.version = u.version;
  GET DIAGNOSTICS n = ROW_COUNT;
  INSERT INTO wallet_balance (wallet_id, asset, allow_negative, status, frozen, debits_posted, credits_posted, debits_pending, credits_pending, version)
    SELECT u.wallet, u.asset, u.free, u.status, u.frozen, u.dp, u.cp, u.dq, u.cq, 1
      FROM unnest(b_changed, b_wallet, b_asset, b_version, b_free, b_status, b_frozen, b_dp, b_cp, b_dq, b_cq)
           AS u (changed, wallet, asset, version, free, status, frozen, dp, cp, dq, cq)
     WHERE u.changed AND u.version IS NULL;
  IF n <> (SELECT count(*) FROM unnest(b_changed, b_version) AS u (changed, version) WHERE u.changed AND u.version IS NOT NULL) THEN
    RAISE EXCEPTION 'a balance moved under its lock' USING ERRCODE = '40001';
  END IF;

  FOR tag IN SELECT jsonb_object_keys(batch -> 'facts') LOOP
    SELECT jsonb_agg(x -> 1 ORDER BY o) INTO stored
      FROM jsonb_array_elements(batch -> 'facts' -> tag) WITH ORDINALITY AS e (x, o)
     WHERE r_failure[(x ->> 0)::int] IS NULL AND NOT r_known[(x ->> 0)::int];
    IF stored IS NOT NULL THEN
      EXECUTE format('SELECT %I($1)', 'ledger_facts_' || tag) USING stored;
    END IF;
  END LOOP;

  -- The audit's lock is the last. What is known has its row already.
  SELECT jsonb_agg((x -> 1) || jsonb_build_object('at', r_at[(x ->> 0)::int], 'result', CASE r_failure[(x ->> 0)::int]
           WHEN 'id used otherwise' THEN 'LedgerConflict' WHEN 'out of range' THEN 'WalletFailed' ELSE coalesce(r_failure[(x ->> 0)::int], 'ok') END) ORDER BY o)
    INTO stored FROM jsonb_array_elements(batch -> 'acts') WITH ORDINALITY AS e (x, o) WHERE NOT r_known[(x ->> 0)::int];
  IF stored IS NOT NULL THEN
    PERFORM audit_write('ledger', stored);
  END IF;

  RETURN jsonb_build_object(
    'results', (SELECT jsonb_agg(jsonb_build_array(u.failure, u.detail, u.refused_at, u.replayed) ORDER BY u.o)
                  FROM unnest(r_failure, r_detail, r_refused_at, r_replayed) WITH ORDINALITY AS u (failure, detail, refused_at, replayed, o)),
    'balances', (SELECT coalesce(jsonb_agg(jsonb_build_array(u.request, b_wallet[u.balance], b_asset[u.balance], trim_scale(u.posted)::text, trim_scale(u.held)::text)), '[]')
                   FROM unnest(o_request, o_balance, o_posted, o_held) AS u (request, balance, posted, held) WHERE u.request > 0));
END $$;

-- As in 0008, and who asks for it is asked after the locks: ['OWNER' | 'ADMIN' | 'DEALER', user, session]; null: the gateway itself.
-- An owner closes a wallet of its own, and nothing else; one that is frozen stays frozen. DEALER: the same for the dealer's own.
DROP FUNCTION wallet_set_status(uuid, text, bigint);
CREATE FUNCTION wallet_set_status(id uuid, wanted text, now_at bigint, actor jsonb DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE w wallet%ROWTYPE; who record;
BEGIN
  SELECT * INTO w FROM wallet x WHERE x.wallet_id = id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'WalletNotFound'; END IF;
  PERFORM 1 FROM wallet_balance b WHERE b.wallet_id = id ORDER BY b.asset FOR NO KEY UPDATE;
  IF actor IS NOT NULL THEN
    SELECT * INTO who FROM authority_of(jsonb_build_array(jsonb_build_array(actor -> 0, actor -> 1, actor -> 2,
      CASE WHEN actor ->> 0 = 'DEALER' THEN w.dealer_account_id END)));
    IF who.word IS NOT NULL THEN RETURN who.word; END IF;
    IF w.tenant_id <> who.tenant_id OR NOT (CASE actor ->> 0
      WHEN 'ADMIN' THEN true
      WHEN 'OWNER' THEN wanted = 'CLOSED' AND coalesce(w.user_id = (actor ->> 1)::uuid, false)
      WHEN 'DEALER' THEN wanted = 'CLOSED' AND w.wallet_type = 'DEALER'
      ELSE false END) THEN
      RETURN 'WalletNotFound';
    END IF;
  END IF;
  IF w.wallet_type = 'ACCOUNTING' AND wanted <> 'ACTIVE' THEN RETURN 'accounting'; END IF;
  IF w.status = wanted THEN RETURN NULL; END IF;
  IF w.status = 'CLOSED' THEN RETURN 'WalletClosed'; END IF;
  IF wanted = 'CLOSED' AND (
    EXISTS (SELECT 1 FROM wallet_balance b WHERE b.wallet_id = id AND (b.debits_pending > 0 OR b.credits_pending > 0))
    OR EXISTS (SELECT 1 FROM quote q WHERE q.open AND q.trader_wallet_id = id)
    OR EXISTS (SELECT 1 FROM quote q WHERE q.open AND q.dealer_wallet_id = id)
  ) THEN
    RETURN 'WalletHasHolds';
  END IF;
  UPDATE wallet x SET status = wanted, frozen = (wanted = 'FROZEN' OR (wanted = 'CLOSED' AND x.frozen)), updated_at = now_at
   WHERE x.wallet_id = id;
  RETURN NULL;
END $$;

-- As in 0006, and with the copy of `frozen`. The audit: every row is a failure of the ledger. This part reads balances and open holds only, and is asked all the time.
CREATE OR REPLACE VIEW ledger_balance_violation AS
  SELECT 'debits and credits of ' || asset || ' differ' AS what FROM wallet_balance GROUP BY asset
    HAVING sum(debits_posted) <> sum(credits_posted) OR sum(debits_pending) <> sum(credits_pending)
  UNION ALL
  SELECT 'overdraft of ' || asset || ' in ' || wallet_id FROM wallet_balance WHERE NOT allow_negative AND debits_posted + debits_pending > credits_posted
  UNION ALL
  SELECT 'copies in the balance of ' || b.asset || ' differ from wallet ' || b.wallet_id
    FROM wallet_balance b LEFT JOIN wallet w USING (wallet_id) WHERE (b.allow_negative, b.status, b.frozen) IS DISTINCT FROM (w.allow_negative, w.status, w.frozen)
  UNION ALL
  SELECT 'holds of ' || coalesce(b.asset, h.asset) || ' differ from the balance of ' || coalesce(b.wallet_id, h.wallet_id)
    FROM (SELECT wallet_id, asset, debits_pending AS d, credits_pending AS c FROM wallet_balance WHERE debits_pending > 0 OR credits_pending > 0) b
    FULL JOIN (SELECT wallet_id, asset, sum(d) AS d, sum(c) AS c FROM (
        SELECT debit_wallet_id AS wallet_id, asset, amount AS d, 0 AS c FROM ledger_hold
        UNION ALL SELECT credit_wallet_id, asset, 0, amount FROM ledger_hold) s GROUP BY wallet_id, asset) h
      ON h.wallet_id = b.wallet_id AND h.asset = b.asset
   WHERE (b.d, b.c) IS DISTINCT FROM (h.d, h.c);
