// Written by `npm run docs` from the gateway's own declaration; `npm run check` fails when it is stale.
export interface paths {
    "/api/v3": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Root record
         * @description Name, version and description of the service. For its state see health.
         *
         *     No token. Weight 1.
         */
        get: operations["root.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Root record (with the slash)
         * @description The same record at another path.
         *
         *     No token. Weight 1.
         */
        get: operations["root.getSlash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Root record (bare)
         * @description The same record at another path.
         *
         *     No token. Weight 1.
         */
        get: operations["root.getBare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description 200 while the service is operational: healthy, or degraded (a venue is unavailable, the ledger audit found a violation, upkeep fails, an account stopped, mail is queued, the disk is filling up). Otherwise 503 -190001 with this record in details.metadata.health: starting, shutting down, no database, or writes do not complete. At most one second old.
         *
         *     No token. Weight 0.
         */
        get: operations["root.health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health (bare)
         * @description The same record at another path.
         *
         *     No token. Weight 0.
         */
        get: operations["root.healthBare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness
         * @description Responds while the process runs, independent of its dependencies.
         *
         *     No token. Weight 0.
         */
        get: operations["root.live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a user
         * @description Registers a user and opens a session. Send its accessToken as `Authorization: Bearer …` on every other call. With SIGNUP=confirm it returns the user without a session, the same for every address, and mails a token for auth/verify.
         *
         *     No token. Weight 1.
         */
        post: operations["auth.signup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Opens a session. If a second factor is set up, the correct password alone is answered with -100014 SECOND_FACTOR_NEEDED: call again with totpCode. An unknown e-mail address, a wrong password and a client address that is not allowed for the user give the same answer.
         *
         *     No token. Weight 1.
         */
        post: operations["auth.login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/token/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a session
         * @description Returns a new accessToken and a new refreshToken, which replaces the old one. Reuse of an old refresh token ends the session.
         *
         *     No token. Weight 1.
         */
        post: operations["auth.refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Ends sessions: their tokens are refused from now on and their sockets are closed.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["auth.logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Current user
         * @description The user to whom the access token belongs.
         *
         *     Needs a session. API key: scope read, not limited to accounts. Weight 1.
         */
        get: operations["auth.user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/user/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Update the current user
         * @description All changes apply, or none. A new address or password needs currentPassword, or a sign-in (or auth/reauthenticate) within the last FRESH_SECONDS. A new address takes effect once both it and the current one have confirmed the tokens mailed to them. A new password ends all other sessions.
         *
         *     Needs a session. Not available to API keys. Weight 20.
         */
        post: operations["auth.update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Authenticate again
         * @description For operations that answer -100011 REAUTHENTICATION_NEEDED: the session continues with new tokens, and its old ones become invalid. Sockets stay open.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["auth.reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recover a password
         * @description Mails a token for auth/verify, valid for 10 minutes, to the address if it belongs to a user, at most once a minute. Returns ok for every well-formed address.
         *
         *     No token. Weight 1.
         */
        post: operations["auth.recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a mail again
         * @description Sends a new token if one is pending, at most once a minute. Always returns ok.
         *
         *     No token. Weight 1.
         */
        post: operations["auth.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a mailed token
         * @description signup confirms the address and recovery proves its ownership: both open a session, in which a new password may be set. email_change is one of two confirmations of a new address.
         *
         *     No token. Weight 1.
         */
        post: operations["auth.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/session/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description The user's open sessions, most recently used first.
         *
         *     Needs a session. Not available to API keys. Weight 2.
         */
        get: operations["auth.sessionList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/session/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a session
         * @description Ends one of your sessions: its tokens are refused from now on and its sockets close.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["auth.sessionRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/jwks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys of access tokens
         * @description The key that access tokens are signed with now, and earlier keys whose tokens may still be valid (RFC 7517). May be cached for 5 minutes; fetch it again for an unknown kid. For libraries that expect the set without an envelope it is at /.well-known/jwks.json.
         *
         *     No token. Weight 1.
         */
        get: operations["auth.jwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Second factor
         * @description Whether a second factor is set up, and how many recovery codes remain.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        get: operations["secondFactor.state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/totp/enrol": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up a second factor
         * @description Creates a secret for an authenticator app (TOTP: SHA-1, six digits, 30 s). It takes effect with auth/totp/confirm.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["secondFactor.enrol"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the second factor
         * @description Confirms it with a current code. From then on every sign-in needs a code, as totpCode. Ends all other sessions and returns ten recovery codes.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["secondFactor.confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the second factor
         * @description With its recovery codes. Sign-ins need the password alone from here on.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["secondFactor.remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/auth/recoveryCode/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the recovery codes
         * @description Returns ten new codes; the previous ones become invalid.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["secondFactor.renewCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/apiKey/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an API key
         * @description Extension. The response contains the key, which is shown only once: store it. Send it as the Bearer token over HTTP, or as the token of the WebSocket's connect command. A key needs no refresh, cannot create other keys, and cannot perform operations that need a recent authentication.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["apiKey.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/apiKey/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Extension. Your keys, newest first, with their last use; revoked and expired keys are listed for another month.
         *
         *     Needs a session. Not available to API keys. Weight 2.
         */
        get: operations["apiKey.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/apiKey/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description Extension. Ends the key: it is refused from now on, and its sockets are closed. Orders placed with it are not affected.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["apiKey.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/credential/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a credential
         * @description Verifies the credential at the venue, then stores it encrypted. If verification fails, nothing is stored.
         *
         *     Needs the permission write. Not available to API keys. Weight 1.
         */
        post: operations["credential.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/credential/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List credentials
         * @description Your credentials, newest first, with masked keys.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 2.
         */
        get: operations["credential.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/credential/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a credential
         * @description Invalidates the credential and deletes its secret. Refused (409) while it is the last one of an account with open orders, unless force.
         *
         *     Needs the permission write. Not available to API keys. Weight 1.
         */
        post: operations["credential.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradingAccount/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect a trading account
         * @description Connects an account at a venue and responds once it is ACTIVE, or after 10 s with its current state. Connecting the same account again returns the existing record with the new nickname and credentials. At INTERNAL every account has its own wallet, created with it, and externalTradingAccountId is that wallet's id.
         *
         *     Needs the permission write. API key: scope trade, not limited to accounts. Weight 10.
         */
        post: operations["tradingAccount.connect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradingAccount/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a trading account
         * @description Changes the nickname.
         *
         *     Needs the permission write. API key: scope trade. Weight 1.
         */
        post: operations["tradingAccount.update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradingAccount/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trading accounts
         * @description Your accounts, newest first. DISCONNECTED ones are omitted unless accountStatus or tradingAccountId selects them. Admins may give userId.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["tradingAccount.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradingAccount/disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disconnect a trading account
         * @description Cancels all open orders at the venue, ends streams and subscriptions, and removes the credentials. Cannot be undone. Waits up to 30 s for the venue's confirmation. Refused (-141007) while a dealer's hedge is working or in doubt there, unless force is set: what is in doubt then remains so until dealer/hedge/resolve settles it.
         *
         *     Needs the permission write. API key: scope trade. Weight 1.
         */
        post: operations["tradingAccount.disconnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradingAccount/portfolio/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balances
         * @description Balances of your accounts, by venue and currency. balance = available + locked, always. Admins may give userId.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["tradingAccount.portfolioList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit an order
         * @description Responds once the order is stored: status PENDING. With awaitClosed it waits up to 1 s for FILLED, REJECTED, EXPIRED or CANCELLED, and returns the state at that time. If the venue rejects the order, this call succeeds with a REJECTED order; if the gateway refuses it before sending, the call fails and nothing is stored.
         *
         *     Give an idempotencyKey (or the header Idempotency-Key, or clientOrderId) to make a repeat harmless: the same request returns the existing order with the header `Idempotency-Replayed: true`, a different one 409 -110006.
         *
         *     takeProfit… and stopLoss… place exits with an entry: they wait for its fills, grow with them, and an execution of one cancels the other. With a TAKE_PROFIT or STOP_LOSS order they form a pair of exits. The other orders are returned in `linkedOrders`; all are stored in one transaction.
         *
         *     Triggers follow the last trade. A LIMIT price more than twice (BUY) or less than half (SELL) of it, or of its own stopPrice, is refused if the gateway knows such a price: -111004. The header `Server-Timing` has the times at which the request was checked, stored and sent.
         *
         *     Needs the permission write. API key: scope trade. Rate limit: orderSubmit.
         */
        post: operations["tradeOrder.submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an order
         * @description Responds after the venue's answer or 1 s, whichever is first. An order already cancelled is returned as it is; for one that is filled, rejected or expired the answer is 400 -110011.
         *
         *     Needs the permission write. API key: scope trade. Rate limit: orderCancel.
         */
        post: operations["tradeOrder.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/replace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change an order
         * @description Extension. Omitted fields do not change. Responds after the venue's answer or 1 s, whichever is first, with the order that is in force then.
         *
         *     If the venue can amend working orders, the order keeps its id. Otherwise it is cancelled (cancelReason REPLACED) and a new order for the remaining quantity replaces it: its `replacesTradeOrderId` names the old one, and it is placed only once the executed quantity of the old order is certain. If the new quantity is already executed, the order ends. An order waiting for its trigger or its entry is changed immediately.
         *
         *     Needs the permission write. API key: scope trade. Rate limit: orderSubmit.
         */
        post: operations["tradeOrder.replace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/cancelAll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel all orders
         * @description Extension: all orders of the account, or those of one instrument. Responds when each order has its answer, or after 1 s, with the ids by result; pending cancels continue.
         *
         *     Needs the permission write. API key: scope trade. Rate limit: orderCancel.
         */
        post: operations["tradeOrder.cancelAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/cancelAllAfter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel all orders after a timeout
         * @description Extension, a dead man's switch: every order of the account is cancelled (cancelReason DEAD_MAN_SWITCH) at the returned time unless this is called again before. Call it every few seconds with a timeout several times as long. The switch is stored: a gateway that was down at that time cancels as soon as it is up again. It fires once and is then off.
         *
         *     Needs the permission write. API key: scope trade. Rate limit: orderCancel.
         */
        post: operations["tradeOrder.cancelAllAfter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order
         * @description Extension: one order in its current state with all of its executions, by tradeOrderId, or by clientOrderId.
         *
         *     Needs the permission read. API key: scope read. Weight 1.
         */
        get: operations["tradeOrder.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/tradeOrder/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Your orders, newest first, of one account or of all. Admins may give userId.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["tradeOrder.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/instrument/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Synchronise instruments
         * @description Fetches precision, limits and rules from the venue and updates what is stored. One at a time per venue; large venues take a while. Instruments no longer listed become DELISTED; a list with less than half of the known instruments delists none, unless an admin requested it or the venue has returned such lists for six hours.
         *
         *     Needs the permission write. API key: scope trade. Weight 1.
         */
        post: operations["market.instrumentSync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/instrument/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List an instrument at INTERNAL
         * @description Extension. Opens a market of the internal venue for a pair of assets, for the admin's own tenant: users of others neither see nor trade it. Its id is INTERNAL:<BASE>/<QUOTE> for the installation's own tenant, otherwise INTERNAL:<BASE>/<QUOTE>@<TENANT>. A repeat returns the instrument, or lists it again if it was retired; with different terms it is refused unless the instrument is retired and has no open orders.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["market.instrumentCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/instrument/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retire an instrument at INTERNAL
         * @description Extension. The market of the admin's tenant accepts no orders from then on (-131003), and open orders there are cancelled (cancelReason ADMIN); it can still be read, with status DELISTED. A repeat cancels any remaining orders. market/instrument/create makes it ACTIVE again.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["market.instrumentRetire"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/instrument/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List instruments
         * @description Known instruments by securityId: price and quantity steps, limits, and whether the venue still lists them (ACTIVE) or not (DELISTED). Venues in use are synchronised every hour; a venue requested for the first time is synchronised first, which may take seconds.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["market.instrumentList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/venue/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List venues
         * @description Only ACTIVE venues are available for trading.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["market.venueList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/venue/capability/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what venues can do
         * @description Extension. The accepted order types and times in force, which functions the venue or the gateway carries out, and what the venue streams.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["market.venueCapabilityList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/orderbook/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order book
         * @description The book as the venue shows it, in the venue's own digits, best rows first. The first read of a book opens its feed and may take seconds; the feed stays open for up to an hour. An instrument no longer listed by its venue is answered with 400 -131009, a venue known to be down with 503 -130001, both without delay.
         *
         *     Needs the permission read. API key: scope read. Weight 1, more for a deep book.
         */
        get: operations["market.orderBookGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/orderbook/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get several order books
         * @description At most 100; repeat instrumentIds, or give a comma-separated list. An unknown instrument fails the request.
         *
         *     Needs the permission read. API key: scope read. Weight 2, more for a deep book.
         */
        get: operations["market.orderBookList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/ticker/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a ticker
         * @description Last price and best prices of one instrument.
         *
         *     Needs the permission read. API key: scope read. Weight 1.
         */
        get: operations["market.tickerGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/ticker/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tickers
         * @description For at most 100 instruments, or without instrumentIds all currently known tickers, by instrumentId.
         *
         *     Needs the permission read. API key: scope read. Weight 2.
         */
        get: operations["market.tickerList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/kline/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get klines
         * @description Bars by open time, oldest first, without gaps: with `from` the first `limit` that open at or after it, otherwise the last `limit`. Periods are in UTC, weeks start on Monday, months are calendar months. `isClosed` is false only if the last row is the current bar.
         *
         *     Needs the permission read. API key: scope read. Weight 1.
         */
        get: operations["market.klineGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/subscription/orderbook/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Subscribe to order book updates
         * @description Keeps the book's feed open; the updates come over the WebSocket channel market:orderbook:<venue>:<symbol>. Subscribing again returns the existing record.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 1.
         */
        post: operations["subscription.subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/subscription/orderbook/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unsubscribe from order book updates
         * @description By subscriptionId, or by instrumentId (and tradingAccountId). Returns the record as INACTIVE; repeats are harmless.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 1.
         */
        post: operations["subscription.unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/market/subscription/orderbook/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List order book subscriptions
         * @description Your ACTIVE subscriptions. Admins may give userId.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 2.
         */
        get: operations["subscription.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a dealer
         * @description Creates the dealer with its own account at INTERNAL and the wallet that it delivers from, in one transaction. Both belong to the dealer: its current admins and operators act for them. Fund it with wallet/deposit, then link accounts at venues: prices come from their books, and hedges go there.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["dealer.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a dealer
         * @description Admins and the dealer's operators see all of it; any other user of the tenant its id, name, status, baseCurrencies and times, the other fields null.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 1.
         */
        get: operations["dealer.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dealers
         * @description Dealers of your tenant, newest first.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 2.
         */
        get: operations["dealer.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change a dealer's configuration
         * @description Extension. The whole configuration, as in dealer/create: read the dealer, change what should change, and send config back with its updatedAt; omitted fields return to their defaults. A concurrent change is answered with 409 -141009. Applies to every quote and hedge from then on; firm quotes already made do not change.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["dealer.update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a dealer
         * @description Stops new quotes. Firm quotes may be executed until they expire, and hedging continues. A repeat returns the same record.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 1.
         */
        post: operations["dealer.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a dealer
         * @description Needs the permission admin. API key: scope admin, not limited to accounts. Weight 1.
         */
        post: operations["dealer.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a dealer
         * @description Permanent. Refused while firm quotes are open, exposure is not hedged, or hedges are working. Funds in its wallet remain there for an admin to withdraw.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["dealer.archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/account/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link an account to a dealer
         * @description An account of your own, as admin or operator of the dealer: prices come from its venue, and hedges go through it. All accounts of a dealer are of one environment: real venues and INTERNAL (whose money is the ledger's), test networks (`_UAT`), or MOCK and PAPER; an account of another environment is refused with -141008 until the others are unlinked. INTERNAL, test networks, MOCK and PAPER are used only if config.pricing.allowSimulatedVenues is set; test networks, MOCK and PAPER never price, value or hedge beside real venues. With ENVIRONMENT=UAT, INTERNAL counts as a test network.
         *
         *     Needs the permission write. API key: scope trade, not limited to accounts. Weight 1.
         */
        post: operations["dealer.accountLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/account/unlink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unlink an account from a dealer
         * @description By the owner of the account, or by an admin or operator of the dealer. Refused while a hedge is working on it.
         *
         *     Needs the permission write. API key: scope trade, not limited to accounts. Weight 1.
         */
        post: operations["dealer.accountUnlink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/account/funding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Announce a deposit or withdrawal at a linked account's venue
         * @description Extension. Call it before moving the funds: a balance change at the venue without an execution is then posted as FUNDING, against WORLD, up to this amount, and is neither counted as a loss nor offsets one. Valid for a day; what has not appeared by then is reported on the channel of the dealer's own account (FUNDING_EXPIRED). What has already been booked does not change. A repeat with the same Idempotency-Key returns the same record in its current state.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["dealer.accountFunding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/dealer/hedge/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * State what a hedge in doubt executed
         * @description Extension. For a hedge whose venue can no longer be queried because its account was force-disconnected or lost its credential. Check at the venue first: the values are accepted as given, and the resulting exposure is hedged immediately. If the venue later reports more, that counts. If called again, the newest values apply. Returns the resulting hedging state of the pair.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["dealer.hedgeResolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/quote/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a quote
         * @description A firm price that binds the dealer until expireAt: no last look. What the dealer would deliver is reserved until then. The client's funds are not held; a client without sufficient funds gets quotes of at most 10 seconds, and all such quotes share a part of the dealer's limits.
         *
         *     If no source prices the pair, the answer is -140002, with the cause in details.reason: NO_LINKED_ACCOUNT, INSTRUMENT_NOT_TRADED, COUNTED_IN_CONTRACTS, VENUE_NOT_ALLOWED or OWN_ACCOUNT.
         *
         *     A refusal by a rule of the dealer is a result, not a failure: status REJECTED with rejectReason INSUFFICIENT_LIQUIDITY, BEYOND_COVERED_RANGE (the known part of the books is not deep enough), RISK_LIMIT, INSUFFICIENT_INVENTORY or NOTIONAL_LIMIT. Execute a quote with tradeOrder/submit: orderType QUOTED, quoteId, and the quote's own side and quantity.
         *
         *     Needs the permission write. API key: scope trade. Rate limit: quoteRequest.
         */
        post: operations["quote.request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/quote/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a quote
         * @description Extension: your own quote, or, as admin or operator of its dealer, any quote with the levels that priced it. Quotes that were not executed are kept for 7 days after their end.
         *
         *     Needs the permission read. API key: scope read. Weight 1.
         */
        get: operations["quote.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/quote/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List quotes
         * @description Extension: your quotes, newest first. Those that were not executed are listed for 7 days after their end.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 2.
         */
        get: operations["quote.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a wallet
         * @description Creates an empty CLIENT wallet that you own. The nickname is returned in metadata.nickname. The number per user is limited (-150000), closed ones included.
         *
         *     Needs the permission write. API key: scope trade, not limited to accounts. Weight 1.
         */
        post: operations["wallet.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet
         * @description The wallet with its balances: balance = available + held.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 1.
         */
        get: operations["wallet.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List wallets
         * @description Your wallets with their balances, newest first. Admins may give userId; for them walletType ACCOUNTING lists the installation's own wallets and the books of dealers (dealerAccountId; metadata.purpose PROFIT, POSITION, TRADING or LOSS), and DEALER those that dealers deliver from.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 2.
         */
        get: operations["wallet.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move money between your wallets
         * @description Both wallets must be yours. Money in a wallet without a dealer may go to any wallet; in a dealer's wallet it stays with that dealer (-150005). Responds after the commit. At most 10^24 per transfer (-150000). With an Idempotency-Key a repeat moves nothing and returns the result of the first call, even if its response was lost; after a refusal the key may be used again, also for the same request.
         *
         *     Needs the permission write. API key: scope trade, not limited to accounts. Weight 1.
         */
        post: operations["wallet.transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/deposit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fund a wallet (admin)
         * @description Extension: books money received from outside, against the installation's ACCOUNTING wallet. At most 10^24 per call (-150000).
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["wallet.deposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay out of a wallet (admin)
         * @description Extension: books money paid to the outside. From a CLOSED wallet only the whole balance of an asset.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["wallet.withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze a wallet (admin)
         * @description Blocks all transfers in and out; existing holds remain and may only be released.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["wallet.freeze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unfreeze a wallet (admin)
         * @description ACTIVE again.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["wallet.unfreeze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a wallet
         * @description Permanent, from any state; refused while anything is held. The remaining balance may be withdrawn once, each asset in full; if the wallet was frozen, only by an admin.
         *
         *     Needs the permission write. API key: scope trade, not limited to accounts. Weight 1.
         */
        post: operations["wallet.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/wallet/transfer/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statement of a wallet
         * @description Extension: every transfer in, out and held, newest first.
         *
         *     Needs the permission read. API key: scope read, not limited to accounts. Weight 2.
         */
        get: operations["wallet.transferList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users (admin)
         * @description Extension. The users of your tenant, sorted by e-mail address.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 2.
         */
        get: operations["adminUser.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/session/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's sessions (admin)
         * @description Extension. Open sessions of a user of your tenant, most recently used first.
         *
         *     Needs the permission admin. Not available to API keys. Weight 2.
         */
        get: operations["adminUser.sessionList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ban a user
         * @description Ends all sessions of the user at once, sockets included, and refuses logins until unban. Orders are not affected.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminUser.ban"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/unban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lift a ban
         * @description The user may log in again; ended sessions are not restored.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminUser.unban"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/grant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant a right
         * @description Extension. Grants the right and those it implies, effective immediately on open sockets too. You cannot grant rights to yourself.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminUser.grant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a right
         * @description Extension. Revokes the right and those that imply it, effective immediately; subscriptions that need it end. You cannot revoke your own rights.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminUser.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/signOut": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a user's sessions
         * @description Extension. Ends all of them, sockets included; the user may log in again. API keys remain valid.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminUser.signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/user/resetSecondFactor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a user's second factor
         * @description Extension. For a user who lost the authenticator and the recovery codes: removes both, ends all sessions of the user, and tells the user by mail. The next sign-in needs the password alone. Your own is removed with auth/totp/remove.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminUser.resetSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/network/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List allowed networks (admin)
         * @description Extension. The networks that a user of your tenant, or without userId every user of it, may connect from. With both lists an address must be on both.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 2.
         */
        get: operations["adminNetwork.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/network/allow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Allow a network
         * @description Extension. The first network of a list closes it to all others, at once and on open sockets too. A list that would leave out your own address is refused.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminNetwork.allow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/network/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove an allowed network
         * @description Extension. Without its last network a list is open to any address. A list that would leave out your own address is refused.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminNetwork.forget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/tenant/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants (admin)
         * @description Extension. All of them, by name, for admins of the installation's own tenant; admins of another see their own alone.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 2.
         */
        get: operations["adminTenant.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/tenant/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a tenant
         * @description Extension, for admins of the installation's own tenant. It is empty: give a user admin, then move that user into it.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminTenant.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/tenant/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a user to another tenant
         * @description Extension, for admins of the installation's own tenant, with users of it. Refused while the user owns anything. Ends the user's sessions and API keys; from then on the user is the other tenant's admins' affair.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["adminTenant.move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/order/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order's full history (admin)
         * @description Extension. Explains why an order was rejected: the request, the checks, what was stored and sent and when, venue responses, evidence, fills, events and the final state, as far as they are retained; for a refused submit the figures of the refusal, for 14 days. Only for orders of your tenant.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 1.
         */
        get: operations["adminOrder.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the gateway's current state (admin)
         * @description Extension. Figures of this process since it started: venues' connectors with their request budgets, worker threads, actors.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 1.
         */
        get: operations["adminStatus.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/admin/tradingMode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the trading mode
         * @description For admins of the default tenant: it applies to every tenant. Stored and in force when the call returns, and kept across restarts. Cancels are accepted in every mode; orders accepted before are not affected.
         *
         *     Needs the permission admin. Not available to API keys. Weight 1.
         */
        post: operations["tradingMode.set"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/audit/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audited acts (admin)
         * @description Extension. Acts on money, rights, credentials, accounts, dealers, instruments, keys and modes, performed or refused, newest first: acts on objects of your tenant, and acts of its users on objects that belong to no tenant. Admins of the default tenant also see those of the installation: the command line, and every act on keys, the trading mode and venues.
         *
         *     Needs the permission admin. API key: scope admin, not limited to accounts. Weight 2.
         */
        get: operations["audit.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the console's session
         * @description Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off. As auth/login; the refresh token goes into an HttpOnly cookie.
         *
         *     No token. Weight 1.
         */
        post: operations["console.open"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a user in the console
         * @description Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off. As auth/signup; the refresh token goes into an HttpOnly cookie.
         *
         *     No token. Weight 1.
         */
        post: operations["console.signup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a mailed token in the console
         * @description Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off. As auth/verify; the refresh token goes into an HttpOnly cookie.
         *
         *     No token. Weight 1.
         */
        post: operations["console.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Authenticate again in the console
         * @description Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off. As auth/reauthenticate; the cookie is replaced.
         *
         *     Needs a session. Not available to API keys. Weight 1.
         */
        post: operations["console.reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue the console's session
         * @description Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off. A new access token; the cookie is replaced.
         *
         *     No token. Weight 1.
         */
        post: operations["console.renew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the console's session
         * @description Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off. Ends the session of the cookie and clears the cookie.
         *
         *     No token. Weight 1.
         */
        post: operations["console.end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Root: {
            name: string;
            version: string;
            description: string;
        };
        Health: {
            /** @enum {string} */
            status: "healthy" | "degraded" | "unhealthy";
            timestamp: components["schemas"]["Int"];
            isoDateTime: string;
            version: string;
            /** @description Absent at a node that does not own the database */
            tradingMode?: components["schemas"]["TradingMode"];
            /** @description Absent where there is one machine */
            cluster?: components["schemas"]["ClusterHealth"];
            /** @description service, database, eventLoop, orderWriter, ledger, upkeep (recurring background work), actors (accounts and dealers stopped by a defect), venues, workers, mailOutbox, disk, clock; of several machines also broker, and of one that does not own the database only service, owner, broker, eventLoop, disk. One unhealthy check makes the record unhealthy */
            checks: {
                [key: string]: components["schemas"]["HealthCheck"];
            };
            /** @description By venue. idle: no request has been sent to it yet */
            venues: {
                [key: string]: "idle" | "up" | "down";
            };
            /** @description By venue: the current interval at which its accounts are audited, in ms; the longest of any account */
            auditMillis: {
                [key: string]: components["schemas"]["AuditMillis"];
            };
        };
        /** @description an integer */
        Int: number;
        /**
         * @description online: everything. post_only: new orders that cannot take liquidity, and cancels. cancel_only: cancels. maintenance: cancels only, and hedges of executed quotes are delayed too.
         * @enum {string}
         */
        TradingMode: "online" | "cancel_only" | "post_only" | "maintenance";
        ClusterHealth: {
            nodeId: string;
            /**
             * @description core: it owns the database and does all operations; edge: it passes them to the node that does
             * @enum {string}
             */
            role: "core" | "edge";
            /** @description The node that owns the database, with its term; null: none is known now */
            owner: {
                nodeId: string;
                term: components["schemas"]["Int"];
            } | null;
            /** @enum {string} */
            broker: "up" | "down";
        };
        HealthCheck: {
            /** @enum {string} */
            status: "healthy" | "degraded" | "unhealthy";
            reason: string | null;
        };
        AuditMillis: {
            openOrders?: components["schemas"]["Int"];
            fills?: components["schemas"]["Int"];
            balances?: components["schemas"]["Int"];
        };
        Signup: {
            /** @description a string at most 320 character(s) long */
            email: string;
            /** @description 8 to 128 characters; not a commonly used password, and not merely your e-mail address */
            password: string;
            /** @description Free-form; returned as user.userMetadata */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description From the ready line of an installation without an admin: makes this user its admin, whatever SIGNUP is; can be used once */
            setupToken?: string | null;
        };
        Session: {
            accessToken: string;
            refreshToken: string;
            /** @enum {string} */
            tokenType: "bearer";
            expiresIn: components["schemas"]["Int"];
            expiresAt: components["schemas"]["Int"];
            expiresAtDateTime: string;
            user: components["schemas"]["User"];
        };
        User: {
            id: string;
            email: string;
            phone: string | null;
            emailConfirmedAt: string | null;
            phoneConfirmedAt: string | null;
            lastSignInAt: string | null;
            createdAt: string;
            updatedAt: string;
            /** @enum {string} */
            role: "authenticated";
            appMetadata: {
                tenantId: string;
                environments: string[];
            };
            userMetadata: {
                [key: string]: unknown;
            };
            newEmail?: string;
            identities: {
                id: string;
                userId: string;
                identityData: {
                    email: string;
                };
                /** @enum {string} */
                provider: "email";
                lastSignInAt: string | null;
                createdAt: string;
                updatedAt: string;
            }[];
        };
        Login: {
            /** @description a string at most 320 character(s) long */
            email: string;
            /** @description 8 to 128 characters; not a commonly used password, and not merely your e-mail address */
            password: string;
            /** @description Where a second factor is set up: six digits of the authenticator, or a recovery code */
            totpCode?: string | null;
        };
        Refresh: {
            /** @description a string at most 1024 character(s) long */
            refreshToken: string;
        };
        UpdateUser: {
            email?: string | null;
            password?: string | null;
            /** @description Required for a new password or e-mail address unless the user authenticated within the last FRESH_SECONDS */
            currentPassword?: string | null;
            /** @description Where a second factor is set up: six digits of the authenticator, or a recovery code */
            totpCode?: string | null;
            /** @description Merged key by key into userMetadata; null removes a key */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        Reauthenticate: {
            /** @description a string at most 1024 character(s) long */
            currentPassword: string;
            /** @description Where a second factor is set up: six digits of the authenticator, or a recovery code */
            totpCode?: string | null;
        };
        Recover: {
            /** @description a string at most 320 character(s) long */
            email: string;
        };
        Resend: {
            /** @enum {string} */
            type: "signup" | "email_change";
            /** @description For email_change: the new address */
            email: string;
        };
        Verify: {
            /** @enum {string} */
            type: "signup" | "recovery" | "email_change";
            /** @description From the mail */
            token: string;
            /** @description Where a second factor is set up: six digits of the authenticator, or a recovery code */
            totpCode?: string | null;
        };
        EmailChange: {
            /** @enum {string} */
            status: "PENDING" | "DONE";
            awaiting: ("current" | "new") | null;
        };
        SessionEntry: {
            sessionId: string;
            current: boolean;
            /** @enum {string} */
            method: "password" | "signup" | "recovery";
            ip: string | null;
            userAgent: string | null;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            refreshedAt: components["schemas"]["Int"];
            refreshedAtDateTime: string;
            expiresAt: components["schemas"]["Int"];
            expiresAtDateTime: string;
        };
        RevokeSession: {
            sessionId: components["schemas"]["UUID"];
        };
        /**
         * Format: uuid
         * @description a Universally Unique Identifier
         */
        UUID: string;
        Jwks: {
            keys: components["schemas"]["Jwk"][];
        };
        Jwk: {
            /** @enum {string} */
            kty: "OKP";
            /** @enum {string} */
            crv: "Ed25519";
            x: string;
            kid: string;
            /** @enum {string} */
            use: "sig";
            /** @enum {string} */
            alg: "EdDSA";
        };
        SecondFactorState: {
            enrolled: boolean;
            recoveryCodesLeft: components["schemas"]["Int"];
        };
        SecondFactorEnrolment: {
            /** @description Base32, for manual entry */
            secret: string;
            /** @description otpauth://…, to be shown as a QR code */
            uri: string;
        };
        SecondFactorCode: {
            /** @description Six digits of the authenticator */
            code: string;
        };
        RecoveryCodes: {
            /** @description Each can be used once; they are not shown again */
            recoveryCodes: string[];
        };
        SecondFactorOrRecoveryCode: {
            /** @description Six digits of the authenticator, or a recovery code */
            code: string;
        };
        CreateApiKey: {
            /** @description Your name for the key */
            name: string;
            /** @description read: what the permission read allows. trade: write, and what it implies. admin: for admins only, and void once the user loses that right */
            scopes: ("read" | "trade" | "admin")[];
            /** @description The accounts that the key is limited to, without access to wallets, credentials or dealers; omitted: no limit */
            tradingAccountIds?: string[] | null;
            /** @description Addresses and CIDRs that the key may be used from, in addition to the restriction on your user; omitted: any */
            ipAllow?: string[] | null;
            /** @description Expiry, in ms, 9999-12-31T23:59:59.999Z at the latest; omitted: never */
            expiresAt?: components["schemas"]["Int"] | null;
        };
        CreatedApiKey: {
            apiKeyId: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            /** @description With those that they imply */
            scopes: ("read" | "trade" | "admin")[];
            /** @description The accounts that the key is limited to; null: all accounts of its user */
            tradingAccountIds: string[] | null;
            /** @description The networks that the key may be used from; null: any that are allowed for its user */
            ipAllow: string[] | null;
            /** @enum {string} */
            status: "ACTIVE" | "EXPIRED" | "REVOKED";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            expiresAt: components["schemas"]["Int"] | null;
            expiresAtDateTime: string | null;
            revokedAt: components["schemas"]["Int"] | null;
            revokedAtDateTime: string | null;
            /** @description To the second; null: never used */
            lastUsedAt: components["schemas"]["Int"] | null;
            lastUsedAtDateTime: string | null;
            lastUsedIp: string | null;
            /** @description The key itself, shown only once: the Bearer token over HTTP and the token of the WebSocket's connect command */
            apiKey: string;
        };
        ApiKey: {
            apiKeyId: string;
            name: string;
            /** @description The first characters of the key */
            prefix: string;
            /** @description With those that they imply */
            scopes: ("read" | "trade" | "admin")[];
            /** @description The accounts that the key is limited to; null: all accounts of its user */
            tradingAccountIds: string[] | null;
            /** @description The networks that the key may be used from; null: any that are allowed for its user */
            ipAllow: string[] | null;
            /** @enum {string} */
            status: "ACTIVE" | "EXPIRED" | "REVOKED";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            expiresAt: components["schemas"]["Int"] | null;
            expiresAtDateTime: string | null;
            revokedAt: components["schemas"]["Int"] | null;
            revokedAtDateTime: string | null;
            /** @description To the second; null: never used */
            lastUsedAt: components["schemas"]["Int"] | null;
            lastUsedAtDateTime: string | null;
            lastUsedIp: string | null;
        };
        RevokeApiKey: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            apiKeyId: string;
        };
        CreateCredential: {
            /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
            venue: string;
            /** @description a string at most 512 character(s) long */
            apiKey: string;
            /** @description Key text or PEM; stored encrypted, never returned */
            apiSecret: string;
            /** @description Required by some venues */
            apiPassphrase?: string | null;
            name?: string | null;
            /** @description Default EXCHANGE */
            type?: string | null;
        };
        Credential: {
            credentialId: string;
            userId: string;
            venue: string;
            name: string;
            type: string;
            /** @enum {string} */
            credentialType: "API_KEY";
            nickname: string;
            apiKey: string;
            /** @enum {string} */
            status: "CREATED" | "ACTIVE" | "REVOKED";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            revokedAt?: components["schemas"]["Int"];
            revokedAtDateTime?: string;
        };
        Pagination: {
            offset: components["schemas"]["Int"];
            limit: components["schemas"]["Int"];
            /** @description Number of records that match; see totalIsLowerBound */
            total: number;
            /** @description Pass it to get the next page; null on the last page */
            cursor: string | null;
            hasNext: boolean;
            /** @description true: counting stopped at total, and there are more */
            totalIsLowerBound?: boolean;
        };
        RevokeCredential: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            credentialId: string;
            /** @description Revoke although open orders depend on it; the account becomes INACTIVE */
            force?: boolean | null;
        };
        ConnectTradingAccount: {
            /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
            venue: string;
            /** @description From credential/create; MOCK, PAPER and INTERNAL need none */
            credentialIds?: string[] | null;
            /** @description The account's id at the venue where the venue reports one, otherwise a label of your choice; at INTERNAL omitted, or the id of a wallet of yours */
            externalTradingAccountId?: string | null;
            /** @description At INTERNAL: makes the account a client of that dealer */
            dealerAccountId?: components["schemas"]["UUID"] | null;
            nickname?: string | null;
        };
        TradingAccount: {
            tradingAccountId: string;
            externalTradingAccountId: string;
            /** @description null: a dealer's own account */
            userId: string | null;
            venue: string;
            nickname: string;
            name: string;
            accountType: string;
            externalAccountType: string;
            positionMode: string;
            collateralMode: string;
            marginMode: string;
            /** @description Extension: at INTERNAL, the wallet that holds the account's funds */
            walletId: string | null;
            /** @description Extension: at INTERNAL, the dealer whose client the account is; null: any dealer's */
            dealerAccountId: string | null;
            credentials: components["schemas"]["Credential"][];
            /** @enum {string} */
            status: "NEW" | "CREATED" | "ACTIVE" | "INACTIVE" | "LOCKED" | "DISCONNECTED" | "UNAVAILABLE";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            disconnectedAt?: components["schemas"]["Int"];
            disconnectedAtDateTime?: string;
        };
        UpdateTradingAccount: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            nickname?: string | null;
        };
        DisconnectTradingAccount: {
            /** @description A tradingAccountId */
            tradingAccountId: string;
            /** @description Extension: disconnect although the venue could not confirm that every order is closed, or a dealer's hedge is still working */
            force?: boolean | null;
        };
        PortfolioPosition: {
            tradingAccountId: string;
            venue: string;
            currency: string;
            balance: string;
            available: string;
            locked: string;
            /** @description The venue's time of the balances, or of a later execution or hold: never older than the last change of the figures */
            updatedAt: number;
            updatedAtDateTime: string;
            /** @description Of a venue of contracts: what is open and has its margin in this currency; absent where nothing is */
            contracts?: components["schemas"]["ContractPosition"][];
        };
        ContractPosition: {
            /** @description The same as on the orders of this account and instrument */
            positionId: string;
            instrumentId: string;
            /** @enum {string} */
            side: "LONG" | "SHORT";
            /** @description In the base asset, above zero */
            quantity: string;
            entryPrice: string | null;
            /** @description At the venue's mark price, when it was last asked; below zero for a loss */
            unrealizedProfit: string | null;
        };
        SubmitOrder: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            instrumentId?: string | null;
            idempotencyKey?: string | null;
            clientOrderId?: string | null;
            /** @enum {string} */
            orderSide: "BUY" | "SELL" | "UNKNOWN";
            orderType: ("MARKET" | "LIMIT" | "LIMIT_MAKER" | "STOP" | "STOP_MARKET" | "STOP_LIMIT" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "TRAILING_STOP" | "QUOTED" | "UNKNOWN") | null;
            /** @description a string matching the pattern ^(0|[1-9]\d{0,35})(\.\d{1,18})?$ */
            quantity: string;
            limitPrice?: string | null;
            stopPrice?: string | null;
            quantityType?: ("BASE" | "QUOTE" | "POSITION_RATIO" | "POSITION_PERCENTAGE") | null;
            orderQuantityType?: ("BASE" | "QUOTE" | "POSITION_RATIO" | "POSITION_PERCENTAGE") | null;
            quantityRounding?: ("" | "UP" | "DOWN" | "NEAREST" | "CEIL" | "FLOOR" | "HALF_UP" | "HALF_DOWN" | "HALF_EVEN") | null;
            /** @description Of contracts: the position of this account and instrument, which the order makes smaller at most (reduce-only) */
            positionId?: components["schemas"]["UUID"] | null;
            timeInForce?: ("GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX" | "OPG" | "CLS" | "GFA" | "GFS" | "GTM" | "MOO" | "MOC" | "EXT" | "UNKNOWN") | null;
            expireAt?: components["schemas"]["Int"] | null;
            quoteId?: components["schemas"]["UUID"] | null;
            leverage?: components["schemas"]["Int"] | null;
            awaitClosed?: boolean | null;
            awaitAccepted?: boolean | null;
            trailingDelta?: components["schemas"]["Int"] | null;
            trailingAmount?: string | null;
            takeProfitPrice?: string | null;
            takeProfitLimitPrice?: string | null;
            stopLossPrice?: string | null;
            stopLossLimitPrice?: string | null;
            takeProfitTimeInForce?: ("GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX" | "OPG" | "CLS" | "GFA" | "GFS" | "GTM" | "MOO" | "MOC" | "EXT" | "UNKNOWN") | null;
            stopLossTimeInForce?: ("GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX" | "OPG" | "CLS" | "GFA" | "GFS" | "GTM" | "MOO" | "MOC" | "EXT" | "UNKNOWN") | null;
        };
        SubmittedOrder: {
            tradeOrderId: string;
            orderListId: string | null;
            contingencyType: string | null;
            tradingAccountId: string;
            venue: string;
            positionId: string | null;
            instrumentId: string;
            quoteId: string | null;
            baseAsset: string;
            quoteAsset: string;
            orderSide: string;
            orderType: string;
            timeInForce: string;
            /** @enum {string} */
            status: "PENDING" | "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "REJECTED" | "EXPIRED";
            /** @enum {string} */
            orderStatus: "CREATED" | "SUBMITTED" | "ACCEPTED" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "PENDING_CANCEL" | "REPLACED" | "PENDING_REPLACE" | "REJECTED" | "EXPIRED" | "REVOKED" | "UNKNOWN";
            rejectReason: string | null;
            cancelReason: string | null;
            limitPrice: string | null;
            stopPrice: string | null;
            takeProfitPrice: string | null;
            takeProfitLimitPrice: string | null;
            stopLossPrice: string | null;
            stopLossLimitPrice: string | null;
            takeProfitTimeInForce: string | null;
            stopLossTimeInForce: string | null;
            quantity: string;
            orderQuantityType: string;
            quantityRounding: string;
            baseQuantity: string;
            executedPrice: string | null;
            averagePrice: string | null;
            executedQuantity: string;
            executedCost: string;
            overfillQuantity: string;
            fees: components["schemas"]["Fee"][];
            /** @description In order of application: the newest 10; tradeOrder/get returns all of them */
            executions: components["schemas"]["Execution"][];
            /** @description Extension: number of executions of the order */
            executionCount: number;
            clientOrderId: string | null;
            idempotencyKey: string | null;
            externalOrderId: string | null;
            /** @enum {string} */
            origin: "GATEWAY" | "EXTERNAL";
            replacesTradeOrderId: string | null;
            dealerAccountId: string | null;
            /** @description For a hedge: the executed quotes that it covers, oldest first. If there are more than 100, the 99 oldest and the newest */
            hedgeForQuoteIds: string[];
            /** @description Extension: number of executed quotes that a hedge covers */
            hedgeForQuoteCount: number;
            /** @enum {string} */
            execution: "NATIVE" | "EMULATED";
            triggerSource: string | null;
            triggeredAt: components["schemas"]["Int"] | null;
            triggeredAtDateTime: string | null;
            triggeredBy: string | null;
            triggerPrice: string | null;
            triggerHealth: string | null;
            trailingDelta: components["schemas"]["Int"] | null;
            trailingAmount: string | null;
            highWaterMark: string | null;
            leverage: components["schemas"]["Int"] | null;
            /** @description Present and true on an order that named its position: the venue lets it make that smaller and nothing else */
            reduceOnly?: boolean;
            inDoubt: boolean;
            evidence: {
                at: components["schemas"]["Int"];
                what: string;
            }[];
            cancelRequested: boolean;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            expireAt: components["schemas"]["Int"] | null;
            expireAtDateTime: string | null;
            canceledAt: components["schemas"]["Int"] | null;
            canceledAtDateTime: string | null;
            /** @description Extension: the other orders of its list: exits of an entry, or the other leg of a pair. Absent without a list */
            linkedOrders?: components["schemas"]["TradeOrder"][];
        };
        Fee: {
            security: string;
            asset: string;
            venue: string;
            quantity: string;
        };
        Execution: {
            executionId: string;
            externalTradeId: string;
            venue: string;
            instrumentId: string;
            orderSide: string;
            executedQuantity: string;
            executedPrice: string;
            executedCost: string;
            fees: components["schemas"]["Fee"][];
            /** @description Accounts for an executed quantity for which the venue has not reported a trade yet */
            inferred: boolean;
            /** @description executionId of the inferred execution that this one replaces: the inferred one no longer counts and is no longer listed */
            replaces: string | null;
            executedAt: components["schemas"]["Int"];
            executedAtDateTime: string;
        };
        TradeOrder: {
            tradeOrderId: string;
            orderListId: string | null;
            contingencyType: string | null;
            tradingAccountId: string;
            venue: string;
            positionId: string | null;
            instrumentId: string;
            quoteId: string | null;
            baseAsset: string;
            quoteAsset: string;
            orderSide: string;
            orderType: string;
            timeInForce: string;
            /** @enum {string} */
            status: "PENDING" | "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "REJECTED" | "EXPIRED";
            /** @enum {string} */
            orderStatus: "CREATED" | "SUBMITTED" | "ACCEPTED" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "PENDING_CANCEL" | "REPLACED" | "PENDING_REPLACE" | "REJECTED" | "EXPIRED" | "REVOKED" | "UNKNOWN";
            rejectReason: string | null;
            cancelReason: string | null;
            limitPrice: string | null;
            stopPrice: string | null;
            takeProfitPrice: string | null;
            takeProfitLimitPrice: string | null;
            stopLossPrice: string | null;
            stopLossLimitPrice: string | null;
            takeProfitTimeInForce: string | null;
            stopLossTimeInForce: string | null;
            quantity: string;
            orderQuantityType: string;
            quantityRounding: string;
            baseQuantity: string;
            executedPrice: string | null;
            averagePrice: string | null;
            executedQuantity: string;
            executedCost: string;
            overfillQuantity: string;
            fees: components["schemas"]["Fee"][];
            /** @description In order of application: the newest 10; tradeOrder/get returns all of them */
            executions: components["schemas"]["Execution"][];
            /** @description Extension: number of executions of the order */
            executionCount: number;
            clientOrderId: string | null;
            idempotencyKey: string | null;
            externalOrderId: string | null;
            /** @enum {string} */
            origin: "GATEWAY" | "EXTERNAL";
            replacesTradeOrderId: string | null;
            dealerAccountId: string | null;
            /** @description For a hedge: the executed quotes that it covers, oldest first. If there are more than 100, the 99 oldest and the newest */
            hedgeForQuoteIds: string[];
            /** @description Extension: number of executed quotes that a hedge covers */
            hedgeForQuoteCount: number;
            /** @enum {string} */
            execution: "NATIVE" | "EMULATED";
            triggerSource: string | null;
            triggeredAt: components["schemas"]["Int"] | null;
            triggeredAtDateTime: string | null;
            triggeredBy: string | null;
            triggerPrice: string | null;
            triggerHealth: string | null;
            trailingDelta: components["schemas"]["Int"] | null;
            trailingAmount: string | null;
            highWaterMark: string | null;
            leverage: components["schemas"]["Int"] | null;
            /** @description Present and true on an order that named its position: the venue lets it make that smaller and nothing else */
            reduceOnly?: boolean;
            inDoubt: boolean;
            evidence: {
                at: components["schemas"]["Int"];
                what: string;
            }[];
            cancelRequested: boolean;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            expireAt: components["schemas"]["Int"] | null;
            expireAtDateTime: string | null;
            canceledAt: components["schemas"]["Int"] | null;
            canceledAtDateTime: string | null;
        };
        CancelOrder: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            tradeOrderId?: string | null;
            /** @description Extension: instead of tradeOrderId */
            clientOrderId?: string | null;
        };
        ReplaceOrder: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            tradeOrderId?: string | null;
            /** @description Extension: instead of tradeOrderId */
            clientOrderId?: string | null;
            /** @description The new total quantity in base, including what is already executed */
            quantity?: string | null;
            limitPrice?: string | null;
            stopPrice?: string | null;
        };
        CancelAllOrders: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            instrumentId?: string | null;
        };
        CancelledOrders: {
            cancelled: string[];
            /** @description Requested; not yet confirmed by the venue */
            pending: string[];
            /** @description Closed before the cancel, or the venue refused it */
            failed: string[];
        };
        CancelAllAfter: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            /** @description 0 = off */
            timeoutMs: components["schemas"]["Int"];
        };
        DeadManSwitch: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            /** @description ms; null = off */
            cancelAllAt: components["schemas"]["Int"] | null;
            cancelAllAtDateTime: string | null;
        };
        SyncInstruments: {
            /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
            venue: string;
            /** @description <BASE>/<QUOTE> each; omitted: all */
            symbols?: string[] | null;
        };
        InstrumentSync: {
            venue: string;
            synced: components["schemas"]["Int"];
            added: components["schemas"]["Int"];
            updated: components["schemas"]["Int"];
        };
        CreateInstrument: {
            /** @description a string matching the pattern ^[A-Z0-9][A-Z0-9.]{0,29}$ */
            baseAsset: string;
            /** @description a string matching the pattern ^[A-Z0-9][A-Z0-9.]{0,29}$ */
            quoteAsset: string;
            /** @description Price step */
            tickSize: string;
            /** @description Quantity step */
            lotSize: string;
            /** @description Default: one lot */
            minQuantity?: string | null;
            maxQuantity?: string | null;
            /** @description Smallest price × quantity */
            minNotional?: string | null;
        };
        Security: {
            securityId: string;
            symbol: string;
            venue: string;
            securityType: string;
            precision: components["schemas"]["Int"];
            scale: components["schemas"]["Int"];
            minQuantity: string;
            lotSize: string;
            instrumentId: string;
            baseAsset: string;
            quoteAsset: string;
            /** @description Price step; 0 if there is none */
            tickSize: string;
            /** @description Where prices have no step: maximum number of significant digits of a price */
            priceSignificantDigits: components["schemas"]["Int"] | null;
            /** @description For contracts, the settlement asset: the quote asset, the base asset or another. Quantities and their limits then count contracts; null: they count the base asset */
            contractType: ("LINEAR" | "INVERSE" | "QUANTO") | null;
            /** @description Size of one contract: in the base asset if LINEAR, in the quote asset if INVERSE */
            contractSize: string | null;
            maxQuantity: string | null;
            minNotional: string | null;
            /** @enum {string} */
            status: "ACTIVE" | "DELISTED";
        };
        RetireInstrument: {
            /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
            instrumentId: string;
        };
        Venue: {
            venue: string;
            name: string;
            /** @enum {string} */
            status: "ACTIVE" | "INACTIVE";
            features: string[];
            /**
             * @description How far the venue's handling of orders is proven. EXPERIMENTAL: not yet, so accounts can be connected and new orders are accepted only if the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it accepts no orders. Market data is available regardless
             * @enum {string}
             */
            orders: "PROVEN" | "EXPERIMENTAL" | "NONE";
        };
        VenueCapability: {
            venue: string;
            /** @description As in market/venue/list */
            features: string[];
            /**
             * @description How far the venue's handling of orders is proven. EXPERIMENTAL: not yet, so accounts can be connected and new orders are accepted only if the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it accepts no orders. Market data is available regardless
             * @enum {string}
             */
            orders: "PROVEN" | "EXPERIMENTAL" | "NONE";
            /** @description What is not proven yet; null where orders are PROVEN */
            ordersMissing: string | null;
            /** @description This installation connects accounts there and sends new orders: they are PROVEN, or it has opted in */
            takesOrders: boolean;
            /** @description Accepted order types */
            orderTypes: string[];
            /** @description Accepted times in force */
            timesInForce: string[];
            /** @description Whether GTX and LIMIT_MAKER are accepted */
            postOnly: boolean;
            /** @description The venue's test environment, itself a venue here; null: it has none, or is one */
            sandboxVenue: string | null;
            /** @description The venue refuses an order that arrives later than this; null: it has no such limit */
            orderExpiryMillis: components["schemas"]["Int"] | null;
            /** @description Whether the venue has market orders; if not, MARKET is refused */
            marketOrders: boolean;
            /** @description Times in force that the venue itself enforces */
            nativeTimesInForce: ("GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX")[];
            /** @description Who watches the trigger of such an order. orderTypes lists the accepted types */
            triggers: {
                /**
                 * @description NATIVE: the venue itself, also while the gateway is down. EMULATED: the gateway
                 * @enum {string}
                 */
                stop: "NATIVE" | "EMULATED";
                /**
                 * @description NATIVE: the venue itself, also while the gateway is down. EMULATED: the gateway
                 * @enum {string}
                 */
                takeProfit: "NATIVE" | "EMULATED";
                /**
                 * @description NATIVE: the venue itself, also while the gateway is down. EMULATED: the gateway
                 * @enum {string}
                 */
                trailing: "NATIVE" | "EMULATED";
            };
            /** @description Whether the venue accepts take-profit and stop-loss with the entry order */
            attachedExits: boolean;
            /**
             * @description Who cancels one leg of a pair of exits when the other executes. NATIVE: the venue, also while the gateway is down; the exits of an entry are sent to it once the entry has ended
             * @enum {string}
             */
            oco: "NATIVE" | "EMULATED";
            /** @description The venue accepts a market buy sized in the quote asset */
            marketBuyByCost: boolean;
            /** @description The venue accepts market buys only if sized in the quote asset */
            marketBuyNeedsCost: boolean;
            /** @description Whether the venue can amend a working order */
            amend: boolean;
            /**
             * @description NATIVE: the venue cancels all orders in one request. EMULATED: the gateway cancels one after the other
             * @enum {string}
             */
            cancelAll: "NATIVE" | "EMULATED";
            /**
             * @description Who cancels all orders when the client does not renew. NATIVE: the venue, also while the gateway is down
             * @enum {string}
             */
            cancelAllAfter: "NATIVE" | "EMULATED";
            /** @description Client order ids that the venue stores with an order; generated by the gateway. null: it stores none */
            clientOrderIds: {
                /**
                 * @description TEXT: letters, digits and signs such as - and _
                 * @enum {string}
                 */
                form: "TEXT" | "ALPHANUMERIC" | "UUID" | "INTEGER";
                /** @description Characters; null: not known */
                lengthMax: components["schemas"]["Int"] | null;
                /** @description Which ids the venue refuses as duplicates: ever used, used on the same day (UTC), used by an open order, or none; null: not known */
                unique: ("ALWAYS" | "DAY" | "OPEN" | "NO") | null;
            } | null;
            streams: {
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                orderBook: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                trades: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                ticker: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                klines: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                orders: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                executions: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                balances: "STREAM" | "POLLED" | "DERIVED" | "NONE";
            };
            /**
             * @description How a lost order book update is detected. NONE: the venue offers no means; only a crossed or silent book reveals it
             * @enum {string}
             */
            bookContinuity: "SEQUENCE" | "CHECKSUM" | "NONE";
        };
        OrderBook: {
            /** @enum {string} */
            updateType: "SNAPSHOT" | "DIFF";
            instrumentId: string;
            venue: string;
            symbol: string;
            /** @enum {string} */
            orderBookType: "L2";
            columns: string[];
            bids: [
                string,
                string,
                string
            ][];
            asks: [
                string,
                string,
                string
            ][];
            timestamp: components["schemas"]["Int"];
            sequence: components["schemas"]["Int"];
            previousSequence: components["schemas"]["Int"] | null;
            /** @enum {string} */
            quality: "SYNCED" | "RESYNCING" | "STALE";
            coveredRange?: components["schemas"]["OrderBookRange"];
        };
        OrderBookRange: {
            lowestBid: string | null;
            highestAsk: string | null;
            levels: components["schemas"]["Int"] | null;
        };
        Ticker: {
            instrumentId: string;
            venue: string;
            symbol: string;
            lastPrice: string | null;
            lastQuantity: string | null;
            bidPrice: string | null;
            bidQuantity: string | null;
            askPrice: string | null;
            askQuantity: string | null;
            timestamp: components["schemas"]["Int"];
            /** @enum {boolean} */
            isStale?: true;
        };
        Kline: {
            instrumentId: string;
            venue: string;
            symbol: string;
            /** @enum {string} */
            interval: "1s" | "1m" | "3m" | "5m" | "15m" | "30m" | "1h" | "2h" | "4h" | "6h" | "8h" | "12h" | "1d" | "3d" | "1w" | "1M";
            candles: components["schemas"]["Candle"][];
            isClosed: boolean;
            timestamp: components["schemas"]["Int"];
        };
        Candle: [
            components["schemas"]["Int"],
            string,
            string,
            string,
            string,
            string
        ];
        SubscribeOrderBook: {
            /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
            instrumentId: string;
            /** @description Extension: of the same venue; the subscription ends when this account is disconnected */
            tradingAccountId?: string | null;
        };
        OrderBookSubscription: {
            subscriptionId: string;
            venue: string;
            tradingAccountId: string | null;
            instrumentId: string;
            /** @enum {string} */
            subscriptionType: "MARKET.SUBSCRIPTION.ORDERBOOK";
            /** @enum {string} */
            status: "ACTIVE" | "INACTIVE";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            lastEventTimestamp: components["schemas"]["Int"] | null;
            lastEventTimestampDateTime: string | null;
        };
        UnsubscribeOrderBook: {
            subscriptionId?: string | null;
            tradingAccountId?: string | null;
            instrumentId?: string | null;
        };
        CreateDealer: {
            /** @description a string at most 128 character(s) long */
            name: string;
            /** @description A pair is quoted when its base or its quote asset is among them */
            baseCurrencies: string[];
            /** @description Maximum unhedged exposure, in the risk currency; absent: no limit */
            riskThreshold?: string | null;
            config?: components["schemas"]["DealerConfig"] | null;
        };
        DealerConfig: {
            /** @description By pricingProfileId; at most 100. Requests may name only those listed in clientPricingProfiles */
            pricingProfiles?: {
                [key: string]: components["schemas"]["PricingProfile"];
            };
            /** @description The profile for requests that name none; if absent, markupBps is 10 */
            defaultPricingProfile?: string;
            /** @description Profiles that a request may name besides the default; absent or empty: none, so that clients cannot choose their markup */
            clientPricingProfiles?: string[];
            /** @description Currency in which exposure is valued; default: the first of baseCurrencies */
            riskCurrency?: string;
            /** @description Users who can view the whole dealer and link accounts of their own */
            operators?: components["schemas"]["UUID"][];
            /** @description Fee of a hedge, by venue; 10 for a venue not named */
            takerFeeBpsByVenue?: {
                [key: string]: components["schemas"]["Int"] | string;
            };
            hedge?: components["schemas"]["HedgeSettings"];
            pricing?: components["schemas"]["PricingSettings"];
            caps?: components["schemas"]["QuoteCaps"];
        };
        PricingProfile: {
            /** @description Markup on the book's price; default 10 */
            markupBps?: components["schemas"]["Int"] | string;
            /** @description Markup per second that the quote is firm; default 0.1 per second beyond the first 10 */
            ttlBps?: components["schemas"]["Int"] | string;
            /** @description Maximum price × quantity of a quote, in its quote asset */
            maxNotional?: string;
            /** @description Minimum price × quantity of a quote, in its quote asset */
            minNotional?: string;
        };
        HedgeSettings: {
            /** @description How far beyond the last level of the priced walk a hedge may go; default 25 */
            slippageBps?: components["schemas"]["Int"] | string;
            /** @description Delay between attempts for the remaining quantity; default 500 */
            repriceMs?: components["schemas"]["Int"];
            /** @description Attempts at a limit price; default 10 */
            attemptsMax?: components["schemas"]["Int"];
            /** @description Hedge the rest at market after the last attempt; default false */
            allowMarket?: boolean;
            /** @description How long to wait for offsetting exposure before a hedge is sent; default 0 */
            nettingWindowMs?: components["schemas"]["Int"];
            /** @description When all attempts fail the exposure stays open and is retried after this time; default 10000 */
            retryMs?: components["schemas"]["Int"];
        };
        PricingSettings: {
            /** @description Allows prices from accounts on INTERNAL, MOCK and PAPER, whose books clients can move, and on test networks (_UAT), and hedges there. INTERNAL has the ledger's own money and may be combined with real venues (with ENVIRONMENT=UAT with test networks); MOCK and PAPER, and test networks, may not, nor with each other in one dealer; default false */
            allowSimulatedVenues?: boolean;
            /** @description Maximum deviation of a book from the median of all fresh books, in percent; a book beyond it is not used for pricing, and of two books that differ by more neither is; above 0, at most 100, default 5 */
            collarPercent?: components["schemas"]["Int"] | string;
        };
        QuoteCaps: {
            /** @description Maximum number of open firm quotes; the installation's own limit applies as well */
            openQuotes?: components["schemas"]["Int"];
            /** @description The same per user, over all accounts */
            openQuotesPerUser?: components["schemas"]["Int"];
            /** @description Percentage of the dealer's limits on quotes, inventory and risk available to quotes whose clients lacked the funds at the time of the quote; default 10; 0: no such quotes */
            uncoveredPercent?: components["schemas"]["Int"];
            /** @description The same per trading account */
            openQuotesPerClient?: components["schemas"]["Int"];
        };
        Dealer: {
            dealerAccountId: string;
            name: string;
            /** @enum {string} */
            status: "ACTIVE" | "PAUSED" | "ARCHIVED";
            baseCurrencies: string[];
            riskThreshold: string | null;
            linkedAccountIds: string[] | null;
            config: components["schemas"]["DealerConfig"] | null;
            ownerUserId: string | null;
            tradingAccountId: string | null;
            walletId: string | null;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
        };
        DealerDetail: {
            dealerAccountId: string;
            name: string;
            /** @enum {string} */
            status: "ACTIVE" | "PAUSED" | "ARCHIVED";
            baseCurrencies: string[];
            riskThreshold: string | null;
            linkedAccountIds: string[] | null;
            config: components["schemas"]["DealerConfig"] | null;
            ownerUserId: string | null;
            tradingAccountId: string | null;
            walletId: string | null;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            /** @description Extension: firm quotes that are still open */
            openQuotes: components["schemas"]["Int"] | null;
            /** @description Extension: positions, exposure and profit, by pair */
            hedging: components["schemas"]["HedgeReport"][] | null;
        };
        HedgeReport: {
            /** @description <BASE>/<QUOTE> */
            symbol: string;
            /**
             * @description FLAT: no exposure. ACCUMULATING: the exposure is below the venue's minimum order. HEDGING: an order is working, or the next is about to be sent. IN_DOUBT: the outcome of an order is not known and its account is being queried. OPEN: attempts failed, the next ones follow later. CARRIED: all possible exposure is in doubt at accounts that can no longer be queried
             * @enum {string}
             */
            state: "FLAT" | "ACCUMULATING" | "HEDGING" | "IN_DOUBT" | "OPEN" | "CARRIED";
            /** @description Age of the oldest open or doubtful exposure; null if there is none */
            ageMs: components["schemas"]["Int"] | null;
            /** @description In base, executed with clients and not hedged, or charged by a venue as its fee: above zero long, below zero short */
            position: string;
            /** @description In base: what hedges in doubt at accounts that can no longer be queried may have bought (above zero) or sold. It is not part of position and is not hedged a second time */
            carried: string;
            /** @description Hedges whose outcome is not known, oldest first: dealer/hedge/resolve settles them */
            inDoubt: components["schemas"]["HedgeInDoubt"][];
            /** @description Size of the position at the book's mid price, in the quote asset; null without a book */
            exposure: string | null;
            /** @description What clients paid above the walked book prices */
            spreadCaptured: string;
            /** @description What hedges cost above the walked book prices, including fees in base; below zero: they cost less */
            hedgeSlippage: string;
            /** @description Of the position, at the book's mid price; null without a book */
            unrealised: string | null;
            /** @description spreadCaptured − hedgeSlippage + unrealised, before fees in assets other than base */
            profit: string | null;
            /** @description Fees charged for hedges. Fees in base are already part of position and profit: they are hedged as well */
            fees: {
                asset: string;
                quantity: string;
            }[];
            /** @description Executed quotes that make up the position, oldest first; at most 100 */
            openQuoteIds: string[];
            /** @description Working hedges, as tradeOrderId; without those carried or resolved by an admin */
            openHedgeIds: string[];
            /** @description Why the newest attempt hedged nothing */
            trouble: string | null;
        };
        HedgeInDoubt: {
            tradeOrderId: string;
            tradingAccountId: string;
            /** @enum {string} */
            orderSide: "BUY" | "SELL";
            /** @description In base: the quantity it may have executed beyond what is known */
            quantity: string;
            /** @description Its account can no longer be queried: this part is not hedged again until dealer/hedge/resolve settles it */
            isCarried: boolean;
            /** @description Time since it was submitted */
            ageMs: number;
        };
        UpdateDealer: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /** @description updatedAt of the record that the change is based on: a dealer changed since then is not overwritten */
            updatedAt: number;
            config: components["schemas"]["DealerConfig"];
        };
        ByDealer: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
        };
        DealerAccountLink: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
        };
        AccountFunding: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            /** @description An asset, for example BTC */
            asset: string;
            /** @description Amount by which the balance will change: for a withdrawal including the venue's fee */
            amount: string;
            /** @enum {string} */
            direction: "DEPOSIT" | "WITHDRAWAL";
        };
        Funding: {
            fundingId: components["schemas"]["UUID"];
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            tradingAccountId: string;
            asset: string;
            /** @enum {string} */
            direction: "DEPOSIT" | "WITHDRAWAL";
            amount: string;
            /** @description Amount seen at the venue and posted */
            settledAmount: string;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            /** @description What has not appeared by then is reported, and later changes count as unexplained */
            expireAt: number;
            expireAtDateTime: string;
        };
        ResolveHedge: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /**
             * Format: uuid
             * @description The hedge: one of inDoubt in dealer/get
             */
            tradeOrderId: string;
            /** @description In base, the total executed quantity; "0": nothing. For a buy, net of the venue fee in base if the venue has not reported it. At least what the venue has reported, at most what was ordered */
            executedQuantity: string;
            /** @description Price per unit of base; required unless executedQuantity is 0 */
            averagePrice?: string | null;
        };
        RequestQuote: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /** @description Your account on INTERNAL; absent: the only ACTIVE one */
            traderAccountId?: string | null;
            /** @description INTERNAL:<BASE>/<QUOTE> (for a tenant other than the installation's own …@<TENANT>), or the same pair at one of the dealer's venues */
            instrumentId?: string | null;
            /** @description With quoteAsset instead of instrumentId */
            baseAsset?: string | null;
            quoteAsset?: string | null;
            /** @enum {string} */
            orderSide: "BUY" | "SELL" | "UNKNOWN";
            /** @description In base; this or quoteQuantity */
            quantity?: string | null;
            /** @description In quote asset; this or quantity */
            quoteQuantity?: string | null;
            /** @description A repeat with the same content returns the existing quote */
            quoteRequestId?: string | null;
            /** @description Seconds, 1 to 300, default 10; or expireAt */
            ttl?: components["schemas"]["Int"] | null;
            /** @description ISO 8601, 1 to 300 s ahead; or ttl */
            expireAt?: string | null;
            /** @description One of the dealer's config.clientPricingProfiles, or its default, spelled exactly; any other gives -140003 */
            pricingProfileId?: string | null;
        };
        Quote: {
            quoteId: string;
            quoteRequestId: string | null;
            externalQuoteId: string | null;
            venue: string;
            instrumentId: string;
            dealerAccountId: string;
            traderAccountId: string;
            baseAsset: string;
            quoteAsset: string;
            /** @enum {string} */
            orderSide: "BUY" | "SELL";
            /** @enum {string} */
            quantityType: "BASE" | "QUOTE";
            quantity: string | null;
            quoteQuantity: string | null;
            price: string | null;
            /** @enum {string} */
            status: "CREATED" | "ACCEPTED" | "EXECUTED" | "REJECTED" | "EXPIRED" | "CANCELLED";
            rejectReason: ("INSUFFICIENT_LIQUIDITY" | "BEYOND_COVERED_RANGE" | "RISK_LIMIT" | "INSUFFICIENT_INVENTORY" | "NOTIONAL_LIMIT") | null;
            /** @description Extension: -140006 for INSUFFICIENT_LIQUIDITY and BEYOND_COVERED_RANGE, -140007 for RISK_LIMIT */
            rejectErrno: components["schemas"]["Int"] | null;
            pricingProfileId: string | null;
            /** @description Extension: the order that executed it */
            tradeOrderId: string | null;
            /** @description Extension: how the price was made */
            receipt: components["schemas"]["PricingReceipt"] | null;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            expireAt: components["schemas"]["Int"];
            expireAtDateTime: string | null;
        };
        PricingReceipt: {
            /** @description Visible to the dealer's side, otherwise null */
            tradingAccountId: string | null;
            venue: string;
            instrumentId: string;
            bookAt: components["schemas"]["Int"];
            bookAtDateTime: string;
            /** @description [price, quantity] used from each of the first 20 levels, best first; visible to the dealer's side, otherwise null. Quotes made by older versions of the gateway have all levels */
            levels: [
                string,
                string
            ][] | null;
            /** @description Summary of the levels used after the first 20: their number, and the total base and quote asset; null if there were none or levels is null */
            levelsBeyond: components["schemas"]["LevelsBeyond"] | null;
            walkedPrice: string | null;
            worstPrice: string | null;
            takerFeeBps: string | null;
            markupBps: string | null;
            ttlBps: string | null;
        };
        LevelsBeyond: {
            count: components["schemas"]["Int"];
            quantity: string;
            cost: string;
        };
        CreateWallet: {
            nickname?: string | null;
        };
        Wallet: {
            walletId: string;
            /** @enum {string} */
            walletType: "CLIENT" | "DEALER" | "EXCHANGE" | "ACCOUNTING";
            /** @enum {string} */
            status: "ACTIVE" | "FROZEN" | "CLOSED";
            /** @description FROZEN, or frozen when it was closed */
            frozen: boolean;
            allowNegative: boolean;
            userId: string | null;
            dealerAccountId: string | null;
            metadata: {
                [key: string]: string;
            };
            /** @description By asset; assets with a zero balance are omitted */
            balances: components["schemas"]["WalletBalance"][];
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            /** @description Time of the last change of its status, or of the last transfer or hold of any asset */
            updatedAt: number;
            updatedAtDateTime: string;
        };
        WalletBalance: {
            asset: string;
            /** @description available + held */
            balance: string;
            available: string;
            held: string;
        };
        WalletTransfer: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            sourceWalletId: string;
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            destWalletId: string;
            /** @description An asset, for example BTC */
            asset: string;
            /** @description a string matching the pattern ^(0|[1-9]\d{0,35})(\.\d{1,18})?$ */
            amount: string;
        };
        WalletDeposit: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            walletId: string;
            /** @description An asset, for example BTC */
            asset: string;
            /** @description a string matching the pattern ^(0|[1-9]\d{0,35})(\.\d{1,18})?$ */
            amount: string;
        };
        WalletWithdrawal: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            walletId: string;
            /** @description An asset, for example BTC */
            asset: string;
            /** @description a string matching the pattern ^(0|[1-9]\d{0,35})(\.\d{1,18})?$ */
            amount: string;
        };
        FreezeWallet: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            walletId: string;
        };
        UnfreezeWallet: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            walletId: string;
        };
        CloseWallet: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            walletId: string;
        };
        WalletTransferRecord: {
            transferId: string;
            walletId: string;
            /**
             * @description DEBIT: out of this wallet
             * @enum {string}
             */
            direction: "DEBIT" | "CREDIT";
            /** @description null: not visible to you */
            counterWalletId: string | null;
            /**
             * @description pending: a hold; post ends it and moves all or part of its amount, void ends it and moves nothing
             * @enum {string}
             */
            kind: "single" | "pending" | "post" | "void";
            /** @description The hold that this transfer ends */
            pendingId: string | null;
            asset: string;
            /** @description For a void: the amount released */
            amount: string;
            /** @enum {string} */
            code: "DEPOSIT" | "WITHDRAWAL" | "TRANSFER" | "HOLD" | "RELEASE" | "EXPIRY" | "TRADE" | "FEE" | "QUOTE" | "QUOTE_RESERVATION" | "EXCHANGE" | "HEDGE" | "OPENING" | "FUNDING" | "ADJUSTMENT" | "SHORTFALL" | "CORRECTION" | "POSITION" | "PROFIT";
            reference: string | null;
            expiresAt: components["schemas"]["Int"] | null;
            expiresAtDateTime: string | null;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
        };
        AdminUser: {
            id: string;
            email: string;
            phone: string | null;
            emailConfirmedAt: string | null;
            phoneConfirmedAt: string | null;
            lastSignInAt: string | null;
            createdAt: string;
            updatedAt: string;
            /** @enum {string} */
            role: "authenticated";
            appMetadata: {
                tenantId: string;
                environments: string[];
            };
            userMetadata: {
                [key: string]: unknown;
            };
            newEmail?: string;
            identities: {
                id: string;
                userId: string;
                identityData: {
                    email: string;
                };
                /** @enum {string} */
                provider: "email";
                lastSignInAt: string | null;
                createdAt: string;
                updatedAt: string;
            }[];
            permissions: ("read" | "write" | "admin")[];
            bannedAt: string | null;
            banReason: string | null;
            /** @description Since when sign-ins need one; null: they do not */
            secondFactorAt: string | null;
        };
        BanUser: {
            userId?: components["schemas"]["UUID"] | null;
            /** @description Instead of userId */
            email?: string | null;
            reason?: string | null;
        };
        UnbanUser: {
            userId?: components["schemas"]["UUID"] | null;
            /** @description Instead of userId */
            email?: string | null;
        };
        ChangeRight: {
            userId?: components["schemas"]["UUID"] | null;
            /** @description Instead of userId */
            email?: string | null;
            /** @enum {string} */
            permission: "read" | "write" | "admin";
        };
        SignOutUser: {
            userId?: components["schemas"]["UUID"] | null;
            /** @description Instead of userId */
            email?: string | null;
        };
        ResetSecondFactor: {
            userId?: components["schemas"]["UUID"] | null;
            /** @description Instead of userId */
            email?: string | null;
        };
        NetworkList: {
            /** @description null: the list of your tenant, for all its users */
            userId: string | null;
            /** @description CIDRs; empty: any address */
            ipAllow: string[];
        };
        AllowNetwork: {
            /** @description Absent: your tenant's list */
            userId?: components["schemas"]["UUID"] | null;
            /** @description An address or a CIDR */
            network: string;
        };
        ForgetNetwork: {
            /** @description Absent: your tenant's list */
            userId?: components["schemas"]["UUID"] | null;
            /** @description An address or a CIDR */
            network: string;
        };
        Tenant: {
            tenantId: string;
            /** @description The installation's own (DEFAULT_TENANT_ID): its admins create tenants */
            isHome: boolean;
            users: components["schemas"]["Int"];
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
        };
        CreateTenant: {
            /** @description a string matching the pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$ */
            tenantId: string;
        };
        MoveUser: {
            userId?: components["schemas"]["UUID"] | null;
            /** @description Instead of userId */
            email?: string | null;
            /** @description a string matching the pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$ */
            tenantId: string;
        };
        OrderStory: {
            /** @description The order's status; REFUSED: no order was created */
            outcome: string;
            /** @description Why it was refused, rejected or cancelled */
            reason: string | null;
            tradingAccountId: string;
            tradeOrder: components["schemas"]["TradeOrder"] | null;
            /** @description Sorted by time */
            steps: {
                at: components["schemas"]["Int"];
                atDateTime: string;
                /** @enum {string} */
                stage: "REQUEST" | "CHECKS" | "COMMIT" | "VENUE" | "EVIDENCE" | "FILL" | "EVENT" | "QUARANTINE" | "END";
                what: string;
            }[];
            /** @description What is not stored, or no longer stored */
            notKept: string[];
        };
        Status: {
            at: components["schemas"]["Int"];
            tradingMode: components["schemas"]["TradingMode"];
            /** @description Longest event loop delay of the main thread in the last 10 to 20 s */
            loopDelayMs: number;
            /** @description Counts by state; inDoubt: orders whose outcome is not known */
            actors: {
                accounts: {
                    [key: string]: components["schemas"]["Int"];
                };
                dealers: {
                    [key: string]: components["schemas"]["Int"];
                };
            };
            connectors: components["schemas"]["ConnectorStatus"][];
            threads: components["schemas"]["ThreadStatus"][];
        };
        ConnectorStatus: {
            connector: string;
            venue: string;
            thread: string | null;
            /** @enum {string} */
            state: "idle" | "starting" | "up" | "waiting" | "stopped";
            restarts: components["schemas"]["Int"];
            streams: components["schemas"]["Int"];
            sessions: components["schemas"]["Int"];
            /** @description Requests to the venue that have no response yet */
            callsInFlight: number;
            /** @description Gaps detected in the venue's stream sequences */
            gaps: number;
            /** @description Stream interruptions */
            losses: number;
            resyncs: components["schemas"]["Int"];
            /** @description Share of the venue's request budget in use, 0 to 1 */
            budgetUsed: number | null;
            /** @description Remaining time of a pause requested by the venue */
            budgetPausedMs: number;
            /** @description Requests waiting for the budget, by purpose */
            waiting: {
                [key: string]: components["schemas"]["Int"];
            };
            /** @description Responses of the venue: ok, limited, refused, failed */
            answers: {
                [key: string]: components["schemas"]["Int"];
            };
        };
        ThreadStatus: {
            thread: string;
            /** @enum {string} */
            state: "starting" | "up" | "down";
            connectors: string[];
            deaths: components["schemas"]["Int"];
            /** @description Longest delay in the last 10 to 20 s */
            loopDelayMs: number;
            /** @description Share of that time in which its event loop was busy, 0 to 1 */
            busy: number;
            heapUsedBytes: components["schemas"]["Int"];
            heapMaxBytes: components["schemas"]["Int"];
        };
        SetTradingMode: {
            tradingMode: components["schemas"]["TradingMode"];
            reason?: string | null;
        };
        TradingModeRecord: {
            tradingMode: components["schemas"]["TradingMode"];
            reason: string | null;
            changedAt: components["schemas"]["Int"];
            changedAtDateTime: string;
        };
        AuditRecord: {
            actId: string;
            /** @description The hash chain that contains the row */
            lane: string;
            /** @description Its position in the chain, from 1 without gaps */
            number: number;
            at: components["schemas"]["Int"];
            atDateTime: string;
            action: string;
            /** @description ok, or the name of the failure: the act was not performed */
            result: string;
            /**
             * @description OPERATOR: the command line; SYSTEM: the gateway itself
             * @enum {string}
             */
            actorKind: "USER" | "OPERATOR" | "SYSTEM";
            /** @description Who performed the act */
            userId: string | null;
            sessionId: string | null;
            keyId: string | null;
            /** @description The actor's */
            tenantId: string | null;
            ip: string | null;
            /** @description On the command line: the operating system account it ran under */
            userAgent: string | null;
            /** @description The gateway's own id of the request: callId of the access log */
            requestId: string | null;
            /** @description The client's own id of the request */
            clientRequestId: string | null;
            objectType: string | null;
            objectId: string | null;
            objectTenantId: string | null;
            /** @description The other party: the second wallet of a transfer, the linked account */
            otherId: string | null;
            asset: string | null;
            amount: string | null;
            /** @description Further details: a right, a mode and its reason, a venue */
            what: string | null;
        };
        OpenConsole: {
            /** @description a string at most 320 character(s) long */
            email: string;
            /** @description a string at most 1024 character(s) long */
            password: string;
            totpCode?: string | null;
        };
        ConsoleSession: {
            accessToken: string;
            /** @description In seconds since the Unix epoch */
            expiresAt: number;
            /** @description An admin's page ends the session when it was not touched for so long (ADMIN_IDLE_MINUTES). Null: it does not */
            idleSeconds: components["schemas"]["Int"] | null;
            /** @enum {string} */
            mode: "off" | "read" | "on";
            /** @description The user's permissions. If the console's mode is read, only read operations are performed */
            permissions: ("read" | "write" | "admin")[];
            user: components["schemas"]["User"];
        };
        Failure: {
            /** @enum {boolean} */
            success: false;
            /** @description Negative; identifies the failure. Numbers are never reused */
            errno: number;
            /** @description A description of the failure */
            error: string;
            data: null;
            details: {
                /** @description The failure's upper-case name, for example INVALID_TOKEN */
                code: string;
                resource: string;
                action: string;
                /** @description Equal to the header X-Request-ID */
                request_id: string;
                /** @description A machine-readable reason, on failures that have one */
                reason?: string;
                /** @description Fields specific to this failure */
                metadata: {
                    [key: string]: unknown;
                };
                /** @description Permissions needed */
                required?: string[];
                /** @description Permissions held */
                provided?: string[];
            };
        };
    };
    responses: never;
    parameters: {
        /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
        "X-Request-ID": string;
        /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
        "Idempotency-Key": string;
        /** @description The order's idempotencyKey, as an alternative to the body. If both are given and differ: 400 */
        "Order-Key": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "root.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Root"];
                    };
                };
            };
        };
    };
    "root.getSlash": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Root"];
                    };
                };
            };
        };
    };
    "root.getBare": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Root"];
                    };
                };
            };
        };
    };
    "root.health": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Health"];
                    };
                };
            };
        };
    };
    "root.healthBare": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Health"];
                    };
                };
            };
        };
    };
    "root.live": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "auth.signup": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Signup"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Session"] | components["schemas"]["User"];
                    };
                };
            };
        };
    };
    "auth.login": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Session"];
                    };
                };
            };
        };
    };
    "auth.refresh": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Refresh"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Session"];
                    };
                };
            };
        };
    };
    "auth.logout": {
        parameters: {
            query?: {
                /** @description This session (default), all others, or all */
                scope?: "local" | "others" | "global";
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "auth.user": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["User"];
                    };
                };
            };
        };
    };
    "auth.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["User"];
                    };
                };
            };
        };
    };
    "auth.reauthenticate": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reauthenticate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Session"];
                    };
                };
            };
        };
    };
    "auth.recover": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Recover"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "auth.resend": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Resend"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "auth.verify": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Verify"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Session"] | components["schemas"]["EmailChange"];
                    };
                };
            };
        };
    };
    "auth.sessionList": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["SessionEntry"][];
                    };
                };
            };
        };
    };
    "auth.sessionRevoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeSession"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "auth.jwks": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Jwks"];
                    };
                };
            };
        };
    };
    "secondFactor.state": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["SecondFactorState"];
                    };
                };
            };
        };
    };
    "secondFactor.enrol": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["SecondFactorEnrolment"];
                    };
                };
            };
        };
    };
    "secondFactor.confirm": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["RecoveryCodes"];
                    };
                };
            };
        };
    };
    "secondFactor.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorOrRecoveryCode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "secondFactor.renewCodes": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["RecoveryCodes"];
                    };
                };
            };
        };
    };
    "apiKey.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["CreatedApiKey"];
                    };
                };
            };
        };
    };
    "apiKey.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ApiKey"][];
                    };
                };
            };
        };
    };
    "apiKey.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeApiKey"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ApiKey"];
                    };
                };
            };
        };
    };
    "credential.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCredential"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Credential"];
                    };
                };
            };
        };
    };
    "credential.list": {
        parameters: {
            query?: {
                /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
                venue?: string;
                /** @description For admins: that user's records instead of your own */
                userId?: string;
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Credential"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "credential.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeCredential"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Credential"];
                    };
                };
            };
        };
    };
    "tradingAccount.connect": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectTradingAccount"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradingAccount"];
                    };
                };
            };
        };
    };
    "tradingAccount.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTradingAccount"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradingAccount"];
                    };
                };
            };
        };
    };
    "tradingAccount.list": {
        parameters: {
            query?: {
                /** @description a Universally Unique Identifier */
                tradingAccountId?: string;
                /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
                venue?: string;
                accountStatus?: "NEW" | "CREATED" | "ACTIVE" | "INACTIVE" | "LOCKED" | "DISCONNECTED" | "UNAVAILABLE";
                /** @description a Universally Unique Identifier */
                userId?: string;
                /** @description a string at most 128 character(s) long */
                tenantId?: string;
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradingAccount"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "tradingAccount.disconnect": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisconnectTradingAccount"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradingAccount"];
                    };
                };
            };
        };
    };
    "tradingAccount.portfolioList": {
        parameters: {
            query?: {
                /** @description A tradingAccountId */
                tradingAccountId?: string;
                /** @description For admins: that user's records instead of your own */
                userId?: string;
                /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
                venue?: string;
                /** @description An asset code; returned even if its balance is zero */
                currency?: string;
                /** @description Records per page: 1 to 100, default 10 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["PortfolioPosition"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "tradeOrder.submit": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The order's idempotencyKey, as an alternative to the body. If both are given and differ: 400 */
                "Idempotency-Key"?: components["parameters"]["Order-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitOrder"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["SubmittedOrder"];
                    };
                };
            };
        };
    };
    "tradeOrder.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelOrder"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradeOrder"];
                    };
                };
            };
        };
    };
    "tradeOrder.replace": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceOrder"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradeOrder"];
                    };
                };
            };
        };
    };
    "tradeOrder.cancelAll": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelAllOrders"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["CancelledOrders"];
                    };
                };
            };
        };
    };
    "tradeOrder.cancelAllAfter": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelAllAfter"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["DeadManSwitch"];
                    };
                };
            };
        };
    };
    "tradeOrder.get": {
        parameters: {
            query?: {
                /** @description a Universally Unique Identifier */
                tradingAccountId?: string;
                /** @description a Universally Unique Identifier */
                tradeOrderId?: string;
                /** @description Needs tradingAccountId */
                clientOrderId?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradeOrder"];
                    };
                };
            };
        };
    };
    "tradeOrder.list": {
        parameters: {
            query?: {
                /** @description a Universally Unique Identifier */
                tradeOrderId?: string;
                /** @description a string matching the pattern ^[A-Za-z0-9._:-]{1,64}$ */
                clientOrderId?: string;
                /** @description The children of a contingent order, or both legs of a pair without a parent */
                orderListId?: string;
                /** @description OPEN, PENDING and CANCELLED select every state displayed under that name; formal states match exactly */
                orderStatus?: "CREATED" | "SUBMITTED" | "ACCEPTED" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "PENDING_CANCEL" | "REPLACED" | "PENDING_REPLACE" | "REJECTED" | "EXPIRED" | "REVOKED" | "UNKNOWN" | "PENDING" | "OPEN";
                /** @description The reference's name for orderStatus */
                status?: "CREATED" | "SUBMITTED" | "ACCEPTED" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "PENDING_CANCEL" | "REPLACED" | "PENDING_REPLACE" | "REJECTED" | "EXPIRED" | "REVOKED" | "UNKNOWN" | "PENDING" | "OPEN";
                /** @description a Universally Unique Identifier */
                tradingAccountId?: string;
                /** @description For admins: that user's records instead of your own */
                userId?: string;
                /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
                instrumentId?: string;
                /** @description createdAt from here on, ms, inclusive */
                startTime?: components["schemas"]["Int"];
                /** @description createdAt up to here, ms, inclusive */
                endTime?: components["schemas"]["Int"];
                /** @description Extension: updatedAt from here on, ms, inclusive; includes archived orders. The list is still sorted by createdAt, so an order that changes while you page appears on exactly one page. A change becomes visible once stored, slightly after its updatedAt: query from about 10 s before the newest that you have */
                updatedSince?: components["schemas"]["Int"];
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
                /** @description Oldest first; default false */
                ascending?: boolean;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradeOrder"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "market.instrumentSync": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncInstruments"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["InstrumentSync"];
                    };
                };
            };
        };
    };
    "market.instrumentCreate": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInstrument"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Security"];
                    };
                };
            };
        };
    };
    "market.instrumentRetire": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetireInstrument"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Security"];
                    };
                };
            };
        };
    };
    "market.instrumentList": {
        parameters: {
            query?: {
                /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
                venue?: string;
                /** @description a string at most 64 character(s) long */
                symbol?: string;
                /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
                instrumentId?: string;
                /** @description a string at most 32 character(s) long */
                securityType?: string;
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Security"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "market.venueList": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Venue"][];
                    };
                };
            };
        };
    };
    "market.venueCapabilityList": {
        parameters: {
            query?: {
                /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
                venue?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["VenueCapability"][];
                    };
                };
            };
        };
    };
    "market.orderBookGet": {
        parameters: {
            query: {
                /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
                instrumentId: string;
                /** @description Rows per side: 1 to 1000, default 10 */
                depth?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["OrderBook"];
                    };
                };
            };
        };
    };
    "market.orderBookList": {
        parameters: {
            query: {
                /** @description an array of at most 100 item(s) */
                instrumentIds: string[];
                /** @description Rows per side: 1 to 1000, default 10 */
                depth?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["OrderBook"][];
                    };
                };
            };
        };
    };
    "market.tickerGet": {
        parameters: {
            query: {
                /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
                instrumentId: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Ticker"];
                    };
                };
            };
        };
    };
    "market.tickerList": {
        parameters: {
            query?: {
                /** @description an array of at most 100 item(s) */
                instrumentIds?: string[];
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Ticker"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "market.klineGet": {
        parameters: {
            query: {
                /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
                instrumentId: string;
                /** @description One of 1s, 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 1d, 3d, 1w, 1M */
                interval: string;
                /** @description First open time, in ms; omitted: the most recent bars */
                from?: components["schemas"]["Int"];
                /** @description Last open time, in ms; omitted: now */
                to?: components["schemas"]["Int"];
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Kline"];
                    };
                };
            };
        };
    };
    "subscription.subscribe": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeOrderBook"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["OrderBookSubscription"];
                    };
                };
            };
        };
    };
    "subscription.unsubscribe": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnsubscribeOrderBook"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["OrderBookSubscription"];
                    };
                };
            };
        };
    };
    "subscription.list": {
        parameters: {
            query?: {
                /** @description <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT> */
                instrumentId?: string;
                /** @description For admins: that user's records instead of your own */
                userId?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["OrderBookSubscription"][];
                    };
                };
            };
        };
    };
    "dealer.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDealer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Dealer"];
                    };
                };
            };
        };
    };
    "dealer.get": {
        parameters: {
            query: {
                /** @description a Universally Unique Identifier */
                dealerAccountId: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["DealerDetail"];
                    };
                };
            };
        };
    };
    "dealer.list": {
        parameters: {
            query?: {
                status?: "ACTIVE" | "PAUSED" | "ARCHIVED";
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Dealer"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "dealer.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateDealer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Dealer"];
                    };
                };
            };
        };
    };
    "dealer.pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ByDealer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Dealer"];
                    };
                };
            };
        };
    };
    "dealer.resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ByDealer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Dealer"];
                    };
                };
            };
        };
    };
    "dealer.archive": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ByDealer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Dealer"];
                    };
                };
            };
        };
    };
    "dealer.accountLink": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DealerAccountLink"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "dealer.accountUnlink": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DealerAccountLink"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "dealer.accountFunding": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountFunding"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Funding"];
                    };
                };
            };
        };
    };
    "dealer.hedgeResolve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveHedge"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["HedgeReport"];
                    };
                };
            };
        };
    };
    "quote.request": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestQuote"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Quote"];
                    };
                };
            };
        };
    };
    "quote.get": {
        parameters: {
            query: {
                /** @description a Universally Unique Identifier */
                quoteId: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Quote"];
                    };
                };
            };
        };
    };
    "quote.list": {
        parameters: {
            query?: {
                /** @description All quotes of a dealer that you administer or operate; otherwise your own quotes from it */
                dealerAccountId?: string;
                /** @description a Universally Unique Identifier */
                traderAccountId?: string;
                /** @description For admins: that user's records instead of your own */
                userId?: string;
                status?: "CREATED" | "ACCEPTED" | "EXECUTED" | "REJECTED" | "EXPIRED" | "CANCELLED";
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Quote"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "wallet.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.get": {
        parameters: {
            query: {
                /** @description a Universally Unique Identifier */
                walletId: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.list": {
        parameters: {
            query?: {
                walletType?: "CLIENT" | "DEALER" | "EXCHANGE" | "ACCOUNTING";
                /** @description a Universally Unique Identifier */
                userId?: string;
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "wallet.transfer": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletTransfer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
    "wallet.deposit": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletDeposit"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.withdraw": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletWithdrawal"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.freeze": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FreezeWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.unfreeze": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnfreezeWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.close": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseWallet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Wallet"];
                    };
                };
            };
        };
    };
    "wallet.transferList": {
        parameters: {
            query: {
                /** @description a Universally Unique Identifier */
                walletId: string;
                /** @description An asset, for example BTC */
                asset?: string;
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0, at most 10000: use the cursor beyond that */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["WalletTransferRecord"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "adminUser.list": {
        parameters: {
            query?: {
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0, at most 10000: use the cursor beyond that */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "adminUser.sessionList": {
        parameters: {
            query: {
                userId: components["schemas"]["UUID"];
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["SessionEntry"][];
                    };
                };
            };
        };
    };
    "adminUser.ban": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BanUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminUser.unban": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnbanUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminUser.grant": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRight"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminUser.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRight"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminUser.signOut": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignOutUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminUser.resetSecondFactor": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetSecondFactor"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminNetwork.list": {
        parameters: {
            query?: {
                userId?: components["schemas"]["UUID"];
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["NetworkList"];
                    };
                };
            };
        };
    };
    "adminNetwork.allow": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllowNetwork"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["NetworkList"];
                    };
                };
            };
        };
    };
    "adminNetwork.forget": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgetNetwork"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["NetworkList"];
                    };
                };
            };
        };
    };
    "adminTenant.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Tenant"][];
                    };
                };
            };
        };
    };
    "adminTenant.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTenant"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Tenant"];
                    };
                };
            };
        };
    };
    "adminTenant.move": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveUser"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AdminUser"];
                    };
                };
            };
        };
    };
    "adminOrder.get": {
        parameters: {
            query: {
                /** @description tradeOrderId, or the gateway's own id of a refused request (callId of the access log); with tradingAccountId also clientOrderId, idempotencyKey, the venue's id of the order, or X-Request-ID */
                id: string;
                /** @description a Universally Unique Identifier */
                tradingAccountId?: string;
                /** @description Only account events with a later sequence number: for when the history says that it is cut */
                eventsAfter?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["OrderStory"];
                    };
                };
            };
        };
    };
    "adminStatus.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["Status"];
                    };
                };
            };
        };
    };
    "tradingMode.set": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetTradingMode"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["TradingModeRecord"];
                    };
                };
            };
        };
    };
    "audit.list": {
        parameters: {
            query?: {
                /** @description OPERATOR: the command line; SYSTEM: the gateway itself */
                actorKind?: "USER" | "OPERATOR" | "SYSTEM";
                /** @description a Universally Unique Identifier */
                userId?: string;
                action?: "user.setup" | "user.grant" | "user.revoke" | "user.environments" | "user.move" | "user.signout" | "user.ban" | "user.unban" | "factor.enrol" | "factor.confirm" | "factor.remove" | "factor.reset" | "codes.renew" | "ip.allow" | "ip.forget" | "tenant.create" | "credential.create" | "credential.revoke" | "apiKey.create" | "apiKey.revoke" | "account.connect" | "account.disconnect" | "instrument.create" | "instrument.retire" | "instrument.sync" | "keys.rotate_encryption" | "keys.rotate_signing" | "keys.rotate_cursor" | "keys.retire" | "keys.abandon" | "keys.taken" | "tradingMode.set" | "orders.archive" | "database.write" | "dealer.create" | "dealer.update" | "dealer.pause" | "dealer.resume" | "dealer.archive" | "dealer.link" | "dealer.unlink" | "dealer.fund" | "dealer.resolve_hedge" | "wallet.create" | "wallet.freeze" | "wallet.unfreeze" | "wallet.close" | "wallet.deposit" | "wallet.withdraw" | "wallet.transfer";
                /** @description The object, or the other party */
                objectId?: string;
                /** @description ok, or a failure's name */
                result?: string;
                /** @description Start of the range, in ms, inclusive */
                from?: components["schemas"]["Int"];
                /** @description End of the range, in ms, inclusive */
                to?: components["schemas"]["Int"];
                /** @description Records per page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0, at most 10000: use the cursor beyond that */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the previous page; omitted filters are those of the first request */
                cursor?: string;
            };
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["AuditRecord"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
        };
    };
    "console.open": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenConsole"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ConsoleSession"];
                    };
                };
            };
        };
    };
    "console.signup": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Signup"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ConsoleSession"] | components["schemas"]["User"];
                    };
                };
            };
        };
    };
    "console.verify": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Verify"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ConsoleSession"] | components["schemas"]["EmailChange"];
                    };
                };
            };
        };
    };
    "console.reauthenticate": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reauthenticate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ConsoleSession"];
                    };
                };
            };
        };
    };
    "console.renew": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        data: components["schemas"]["ConsoleSession"];
                    };
                };
            };
        };
    };
    "console.end": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @enum {number} */
                        errno: 0;
                        error: null;
                        /** @enum {string} */
                        data: "ok";
                    };
                };
            };
        };
    };
}
