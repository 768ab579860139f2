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
         * @description Name, version and description of the service. Not more than that: see health.
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
         * @description The same record under another address.
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
         * @description The same record under another address.
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
         * @description 200 while the service can work: healthy, or degraded (a venue is away, the ledger's audit found something, upkeep fails, an account stopped, mail waits, the disk fills). Otherwise 503 -190001 with this record in details.metadata.health: starting, shutting down, no database, nothing stored. At most a second old.
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
         * @description The same record under another address.
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
         * @description Answers while the process turns, whatever it depends on.
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
         * @description Registers a user and opens a session. Send its accessToken as `Authorization: Bearer …` on every other call. Where addresses are confirmed first (SIGNUP=confirm) it answers the user without a session, the same for every address, and mails a token for auth/verify.
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
         * @description Opens a session. Where a second factor is set up the right password alone is answered -100014 SECOND_FACTOR_NEEDED: call again with totpCode. An unknown e-mail, a wrong password and an address that the user may not come from are never told apart.
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
         * @description Answers a new accessToken and a new refreshToken, which replaces the old one. An old refresh token that comes back ends the session.
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
         * @description Ends sessions: their tokens are refused from now on and their sockets close.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description The user that the access token speaks for.
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
         * @description All of it is done, or nothing. A new address or password needs currentPassword, or a sign-in (auth/reauthenticate) of the last FRESH_SECONDS. A new address is in force when it and the present one have both confirmed the tokens that are mailed to them. A new password ends all other sessions.
         *
         *     Needs a session. Not with an API key. Weight 20.
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
         * Prove again who you are
         * @description For what is answered -100011 REAUTHENTICATION_NEEDED: the session goes on with new tokens, and its old ones are good no longer. Sockets stay.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description Mails a token for auth/verify, good for 10 minutes, to that address if it is a user's, at most once a minute. Answers ok for every address that could be one.
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
         * @description A new token where one is waited for, at most once a minute. Always answers ok.
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
         * Use a token that was mailed
         * @description signup confirms the address and recovery proves its owner: both open a session, in which a new password may be set. email_change is one of two confirmations of a new address.
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
         * @description Where the user is logged in, the last used first.
         *
         *     Needs a session. Not with an API key. Weight 2.
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
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description The keys that access tokens are signed with now, and those of before whose tokens may still live (RFC 7517). May be cached for 5 minutes; a kid that is not in it is a reason to ask again. Libraries want the set without an envelope: it is at /.well-known/jwks.json.
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
         * @description Whether one is set up, and how many recovery codes are left.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description A new secret for an authenticator app (TOTP: SHA-1, six digits, 30 s). Nothing needs it before auth/totp/confirm.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description By a code of it. From here on each sign-in needs one, as totpCode. Ends all other sessions, and answers ten recovery codes.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description Ten others; those of before are good no longer.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description Extension. The answer shows the key, this once: store it. Send it as the Bearer token of HTTP, or as the token of the socket's connect. A key needs no refresh, makes no other key, and does nothing that needs a proof of who asks.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description Extension. Your keys, the newest first, with their last use; those that are revoked or expired for a month more.
         *
         *     Needs a session. Not with an API key. Weight 2.
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
         * @description Extension. Ends the key: it is refused from now on, and its sockets close. Orders that it placed stay.
         *
         *     Needs a session. Not with an API key. Weight 1.
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
         * @description Proves the credential at the venue, then stores it encrypted. A wrong one is refused and nothing is stored.
         *
         *     Needs the permission write. Not with an API key. Weight 1.
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
         *     Needs the permission write. Not with an API key. Weight 1.
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
         * @description Connects an account on a venue and answers once it is ACTIVE, or after 10 s as it is. Connecting the same account again answers the record you have, with the new nickname and credentials. At INTERNAL every account has a wallet of its own, made with it, and externalTradingAccountId is that wallet's id.
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
         * @description Your accounts, newest first. DISCONNECTED ones are left out unless accountStatus or tradingAccountId asks for them. Admins may give userId.
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
         * @description Cancels all open orders at the venue, ends streams and subscriptions, removes the credentials. Cannot be undone. Waits up to 30 s for the venue's confirmation. Refused (-141007) while a dealer's hedge is at work or in doubt there, unless force: what is in doubt then is carried until dealer/hedge/resolve ends it.
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
         * @description What your accounts hold, by venue and currency. balance = available + locked, always. Admins may give userId.
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
         * @description Answers once the order is stored: status PENDING. With awaitClosed it waits up to 1 s for FILLED, REJECTED, EXPIRED or CANCELLED, and answers what it is then. A refusal by the venue is a success of this call with a REJECTED order; whatever is refused here, before the venue is asked, is a failure and stores nothing.
         *
         *     Give an idempotencyKey (or the header Idempotency-Key, or clientOrderId) and a repeat is harmless: the same request answers the existing order with the header `Idempotency-Replayed: true`, a different one 409 -110006.
         *
         *     takeProfit… and stopLoss… place exits with an entry: they wait for its fills, grow with them, and one ends the other. With a TAKE_PROFIT or STOP_LOSS order they make a pair of exits. The others come in `linkedOrders`, all stored at once.
         *
         *     Triggers follow the last trade. A LIMIT price more than twice (BUY) or less than half (SELL) of it, or of its own stopPrice, is refused where the gateway knows such a price: -111004. The header `Server-Timing` says when the request was checked, stored and sent on.
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
         * @description Answers after the venue's answer or 1 s, whichever is first. An order that is cancelled already is answered as it is; one that is filled, rejected or expired is 400 -110011.
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
         * @description Extension. What is absent stays as it is. Answers after the venue's answer or 1 s, whichever is first, the order that stands then.
         *
         *     Where the venue changes working orders the order keeps its id. Elsewhere it is cancelled (cancelReason REPLACED) and a new order for what remains takes its place: its `replacesTradeOrderId` names the old one, and it is placed only when it is certain how much of that was executed. A quantity that is executed already ends the order. An order that waits for its trigger or its entry is changed at once.
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
         * @description Extension: all orders of the account, or those of one instrument. Answers when each has its answer, or after 1 s, the ids by what became of them; whatever is pending is cancelled all the same.
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
         * Cancel all orders after a silence
         * @description Extension, a dead man's switch: every order of the account is cancelled (cancelReason DEAD_MAN_SWITCH) at the instant that is answered, unless this is called again before. Call it every few seconds with a timeout of several times that. It is stored: a gateway that was away at that instant cancels as soon as it is back. It works once, then it is off.
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
         * @description Fetches precision, limits and rules from the venue and updates what is stored. One at a time per venue; large venues take a while. What is listed no more is DELISTED; a list with less than half of what was traded there delists nothing, unless an admin asks or the venue has given such lists for six hours.
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
         * @description Extension. Opens a market of the internal venue for a pair of assets, for the admin's own tenant: users of others neither see nor trade it. Its id is INTERNAL:<BASE>/<QUOTE> where the tenant is the installation's own, else INTERNAL:<BASE>/<QUOTE>@<TENANT>. The same call again answers the instrument, or lists it again where it was retired; with other terms it is refused unless it is retired and nothing is open there.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Extension. The market of the admin's tenant takes no orders from then on (-131003), and those that are open there are cancelled (cancelReason ADMIN); reads go on, with status DELISTED. A repeat cancels what was left. Listed again by market/instrument/create it is ACTIVE again.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Known instruments by securityId: price and quantity steps, limits, and whether the venue still lists them (ACTIVE) or not (DELISTED). Venues in use are synchronised every hour; one that is named here for the first time is synchronised first, which may take seconds.
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
         * @description Extension. Order types and times in force that are taken, who carries out what the venue itself does not, and what it streams.
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
         * @description The book as the venue shows it, in the venue's own digits, best rows first. The first read of a book opens its feed and may take seconds; what is read stays open for up to an hour. An instrument that its venue lists no more is 400 -131009, a venue that is known to be down 503 -130001, both at once.
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
         * @description At most 100; repeat instrumentIds, or give a comma list. One that is unknown fails the request.
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
         * @description Of at most 100 instruments, or without instrumentIds all tickers known now, by instrumentId.
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
         * @description Bars by open time, oldest first, without holes: with `from` the first `limit` that open then or later, else the last `limit`. Periods are cut in UTC, weeks from Monday, months by the calendar. `isClosed` is false only when the last row is the bar that still lives.
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
         * @description Keeps the book's feed open; the updates come over the WebSocket channel market:orderbook:<venue>:<symbol>. Subscribing again answers the record you have.
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
         * @description By subscriptionId, or by instrumentId (and tradingAccountId). Answers it INACTIVE; repeats are harmless.
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
         * @description Provisions the dealer with an account of its own at INTERNAL and the wallet that it delivers from, in one transaction. Both belong to the dealer: its admins and operators of the moment act for them. Fund it with wallet/deposit, then link accounts at venues: prices come from their books, and hedges go there.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Extension. The whole configuration, as in dealer/create: read the dealer, change what should change, and send config back with its updatedAt; what is left out is at its default again. Another change in between is 409 -141009. Holds for every quote and hedge from then on; quotes that bind stay as they are.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description No new quotes. Those that bind may be executed until their end, and hedging goes on. Repeated: the same record.
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
         * @description For ever. Refused while quotes bind, exposure is not hedged, or hedges are at work. What its wallet holds stays there for an admin to withdraw.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description An account of your own, as admin or operator of the dealer: prices come from its venue, and hedges go through it. All accounts of a dealer are of one environment: real venues and INTERNAL (whose money is the ledger's), test networks (`_UAT`), or MOCK and PAPER; one of another is refused with -141008 until those before it are unlinked, whichever of the two has more to lose. INTERNAL, test networks, MOCK and PAPER count only where config.pricing.allowSimulatedVenues says so; test networks, MOCK and PAPER never price, value or hedge beside real ones. Of an installation with ENVIRONMENT=UAT INTERNAL is a test network.
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
         * @description By the owner of the account, or by an admin or operator of the dealer. Refused while a hedge is at work on it.
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
         * Tell of a deposit or withdrawal at a linked account's venue
         * @description Extension. Before it is done: what then changes at the venue without an execution is posted as FUNDING, against WORLD, up to this amount, and is neither a loss nor what makes one good. It holds for a day; what did not show by then is told on the channel of the dealer's own account (FUNDING_EXPIRED). What has been booked already stays as it is. Repeated with the same Idempotency-Key: the same record, as it is then.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * Say what a hedge in doubt executed
         * @description Extension. The way out for a hedge whose venue cannot be asked any more: its account was disconnected by force, or lost its credential. Look at the venue first: what is said here is believed, and what is open then is hedged at once. Should the venue tell of more after all, that counts. Said again with other values, the newest hold. Answers the hedging of the pair as it is then.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description A price that binds the dealer until expireAt: no last look. What it delivers is reserved until then. The client's funds are not held; a client who does not have them yet is quoted for at most 10 seconds, and all such quotes share a part of the dealer's room.
         *
         *     Where nothing prices the pair the answer is -140002, and details.reason says why: NO_LINKED_ACCOUNT, INSTRUMENT_NOT_TRADED, COUNTED_IN_CONTRACTS, VENUE_NOT_ALLOWED or OWN_ACCOUNT.
         *
         *     A rule of the dealer that says no is an answer, not a failure: status REJECTED with rejectReason INSUFFICIENT_LIQUIDITY, BEYOND_COVERED_RANGE (the books that are known are not known far enough), RISK_LIMIT, INSUFFICIENT_INVENTORY or NOTIONAL_LIMIT. Execute a quote with tradeOrder/submit: orderType QUOTED, quoteId, and the quote's own side and quantity.
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
         * @description Extension: yours, or as admin or operator of its dealer, with the levels that priced it. A quote that was not executed is there for 7 days after its end.
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
         * @description A CLIENT wallet of your own, empty. The nickname stands in metadata.nickname. The number per user is limited (-150000), closed ones included.
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
         * @description Your wallets with their balances, newest first. Admins may give userId; walletType ACCOUNTING lists the installation's own to them, and the books of dealers (dealerAccountId; metadata.purpose PROFIT, POSITION, TRADING or LOSS), DEALER those that dealers deliver from.
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
         * @description Both wallets are yours. Money in a wallet of no dealer may go to any; in a wallet of a dealer it stays with that dealer (-150005). Answered after the commit. At most 10^24 at once (-150000). With an Idempotency-Key a repeat moves nothing and answers as the first call ended, whatever happened to it; after a refusal the key may be used again, for the same request too.
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
         * @description Extension: money from outside, against the installation's ACCOUNTING wallet. At most 10^24 at once (-150000).
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Extension: money to the outside. Of a CLOSED wallet: the whole balance of an asset.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Nothing moves any more, in or out; holds that are there stay, and may only be released.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description For ever, from any state; refused while anything is held. What is left may leave once, each asset whole; of one that was frozen only through an admin.
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
         * @description Extension. The users of your tenant, by address.
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
         * @description Extension. Where a user of your tenant is logged in, the last used first.
         *
         *     Needs the permission admin. Not with an API key. Weight 2.
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
         * @description Ends all sessions of the user at once, sockets included, and refuses logins until unban. Orders stay as they are.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description The user may log in again; sessions that ended stay ended.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Extension. The right and those that it implies, at once, open sockets included. Not to yourself.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Extension. The right and those that imply it, at once; subscriptions that need it end. Not from yourself.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * @description Extension. All of them, sockets included; the user may log in again. API keys stay.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
         */
        post: operations["adminUser.signOut"];
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
         * Tell an order's whole story (admin)
         * @description Extension. Why was it rejected? The request, the checks, what was stored and sent and when, the venue's words, evidence, fills, events and its end, as far as they are kept; of a submit that was refused the figures of the refusal, for 14 days. Of your tenant's orders.
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
         * How the gateway works now (admin)
         * @description Extension. Figures of this process since its start: venues' connectors with their request budgets, worker threads, actors.
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
         * @description For admins of the default tenant: it holds for every tenant. In force, and stored, when it answers; a restart keeps it. Cancels are taken in every mode; what was accepted before goes on.
         *
         *     Needs the permission admin. Not with an API key. Weight 1.
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
         * List acts of the audit (admin)
         * @description Extension. Acts on money, rights, credentials, accounts, dealers, instruments, keys and modes, done or refused, newest first: those on what is your tenant's, and those of its users on what belongs to no tenant. Admins of the default tenant see the installation's own, too: the command line, and every act on keys, the trading mode and venues.
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
         * @description Extension, for the console's own page: others are refused (403), and hear 404 where CONSOLE is off. As auth/login; the refresh token goes into an HttpOnly cookie.
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
         * Go on with the console's session
         * @description Extension, for the console's own page: others are refused (403), and hear 404 where CONSOLE is off. A new access token; the cookie is replaced.
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
         * @description Extension, for the console's own page: others are refused (403), and hear 404 where CONSOLE is off. The session of the cookie ends, and the cookie with it.
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
            tradingMode: components["schemas"]["TradingMode"];
            /** @description service, database, eventLoop, orderWriter, ledger, upkeep (what the gateway does again and again), actors (accounts and dealers that a defect stopped), venues, workers, mailOutbox, disk, clock. One unhealthy check makes the record unhealthy */
            checks: {
                [key: string]: components["schemas"]["HealthCheck"];
            };
            /** @description By venue. idle: nothing was asked of it yet */
            venues: {
                [key: string]: "idle" | "up" | "down";
            };
            /** @description By venue: how often its accounts are audited now, in ms. The longest period of any of them */
            auditMillis: {
                [key: string]: components["schemas"]["AuditMillis"];
            };
        };
        /** @description an integer */
        Int: number;
        /**
         * @description online: everything. post_only: new orders that cannot take liquidity, and cancels. cancel_only: cancels. maintenance: cancels, and hedges of executed quotes wait too.
         * @enum {string}
         */
        TradingMode: "online" | "cancel_only" | "post_only" | "maintenance";
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
            /** @description Of the ready line of an installation without an admin: makes this user its admin, whatever SIGNUP says; good once */
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
            /** @description Needed for a new password or address, unless it was proven in the last FRESH_SECONDS who asks */
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
            /** @description For email_change the new address */
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
            /** @description Base32, to be typed */
            secret: string;
            /** @description otpauth://…, to be shown as a QR code */
            uri: string;
        };
        SecondFactorCode: {
            /** @description Six digits of the authenticator */
            code: string;
        };
        RecoveryCodes: {
            /** @description Each good once; told this once only */
            recoveryCodes: string[];
        };
        SecondFactorOrRecoveryCode: {
            /** @description Six digits of the authenticator, or a recovery code */
            code: string;
        };
        CreateApiKey: {
            /** @description What you call it */
            name: string;
            /** @description read: what the permission read lets through. trade: write, and what it implies. admin: for admins, and lost with the right */
            scopes: ("read" | "trade" | "admin")[];
            /** @description The accounts that it is limited to; without it all that you reach. Then nothing of wallets, credentials or dealers */
            tradingAccountIds?: string[] | null;
            /** @description Addresses and CIDRs that it may come from, beside those that you may come from; without it from anywhere */
            ipAllow?: string[] | null;
            /** @description When it ends, in ms, 9999-12-31T23:59:59.999Z at the latest; without it never */
            expiresAt?: components["schemas"]["Int"] | null;
        };
        CreatedApiKey: {
            apiKeyId: string;
            name: string;
            /** @description The first letters of the key */
            prefix: string;
            /** @description With those that they imply */
            scopes: ("read" | "trade" | "admin")[];
            /** @description The accounts that it is limited to; null: all that its user reaches */
            tradingAccountIds: string[] | null;
            /** @description The networks that it may come from; null: any that its user may come from */
            ipAllow: string[] | null;
            /** @enum {string} */
            status: "ACTIVE" | "EXPIRED" | "REVOKED";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            expiresAt: components["schemas"]["Int"] | null;
            expiresAtDateTime: string | null;
            revokedAt: components["schemas"]["Int"] | null;
            revokedAtDateTime: string | null;
            /** @description To the second; null: never */
            lastUsedAt: components["schemas"]["Int"] | null;
            lastUsedAtDateTime: string | null;
            lastUsedIp: string | null;
            /** @description The key itself, shown this once: the Bearer token of HTTP and the token of the socket's connect */
            apiKey: string;
        };
        ApiKey: {
            apiKeyId: string;
            name: string;
            /** @description The first letters of the key */
            prefix: string;
            /** @description With those that they imply */
            scopes: ("read" | "trade" | "admin")[];
            /** @description The accounts that it is limited to; null: all that its user reaches */
            tradingAccountIds: string[] | null;
            /** @description The networks that it may come from; null: any that its user may come from */
            ipAllow: string[] | null;
            /** @enum {string} */
            status: "ACTIVE" | "EXPIRED" | "REVOKED";
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            expiresAt: components["schemas"]["Int"] | null;
            expiresAtDateTime: string | null;
            revokedAt: components["schemas"]["Int"] | null;
            revokedAtDateTime: string | null;
            /** @description To the second; null: never */
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
            /** @description Some venues need one */
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
            /** @description Give it back to get the next page; null at the end */
            cursor: string | null;
            hasNext: boolean;
            /** @description true: counting stopped at total, there are more */
            totalIsLowerBound?: boolean;
        };
        RevokeCredential: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            credentialId: string;
            /** @description Revoke although orders that depend on it are open; the account goes INACTIVE */
            force?: boolean | null;
        };
        ConnectTradingAccount: {
            /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
            venue: string;
            /** @description From credential/create; MOCK, PAPER and INTERNAL need none */
            credentialIds?: string[] | null;
            /** @description The account's id at the venue where the venue tells it, else a label of your own; at INTERNAL left out, or a wallet of yours */
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
            /** @description Extension: at INTERNAL, the wallet that holds what the account owns */
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
            /** @description Extension: disconnect although the venue could not confirm that every order is gone, or a dealer's hedge is at work */
            force?: boolean | null;
        };
        PortfolioPosition: {
            tradingAccountId: string;
            venue: string;
            currency: string;
            balance: string;
            available: string;
            locked: string;
            /** @description The venue's time of the balances, or of what was executed or held since: never older than the last change of the figures */
            updatedAt: number;
            updatedAtDateTime: string;
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
            /** @description In order of application: the newest 10; tradeOrder/get answers all of them */
            executions: components["schemas"]["Execution"][];
            /** @description Extension: how many executions the order has */
            executionCount: number;
            clientOrderId: string | null;
            idempotencyKey: string | null;
            externalOrderId: string | null;
            /** @enum {string} */
            origin: "GATEWAY" | "EXTERNAL";
            replacesTradeOrderId: string | null;
            dealerAccountId: string | null;
            /** @description Of a hedge: the executed quotes that it closes, oldest first. Of more than 100 the 99 oldest, and the newest */
            hedgeForQuoteIds: string[];
            /** @description Extension: how many executed quotes a hedge closes */
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
            /** @description Extension: the other orders of its list, exits of an entry or the other leg of a pair. Absent without a list */
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
            /** @description Closes a gap that no trade of the venue has explained yet */
            inferred: boolean;
            /** @description executionId of the inferred execution whose place this one takes: that one counts no more and is not listed any longer */
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
            /** @description In order of application: the newest 10; tradeOrder/get answers all of them */
            executions: components["schemas"]["Execution"][];
            /** @description Extension: how many executions the order has */
            executionCount: number;
            clientOrderId: string | null;
            idempotencyKey: string | null;
            externalOrderId: string | null;
            /** @enum {string} */
            origin: "GATEWAY" | "EXTERNAL";
            replacesTradeOrderId: string | null;
            dealerAccountId: string | null;
            /** @description Of a hedge: the executed quotes that it closes, oldest first. Of more than 100 the 99 oldest, and the newest */
            hedgeForQuoteIds: string[];
            /** @description Extension: how many executed quotes a hedge closes */
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
            /** @description The new total in base, what is executed included */
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
            /** @description Asked for; the venue has not confirmed it yet */
            pending: string[];
            /** @description Over before the cancel, or kept by the venue */
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
            /** @description <BASE>/<QUOTE> each; all when left out */
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
            /** @description Step of prices */
            tickSize: string;
            /** @description Step of quantities */
            lotSize: string;
            /** @description One lot when left out */
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
            /** @description Step of prices; 0 where there is none */
            tickSize: string;
            /** @description Where prices are not counted in steps: how many digits of a price may count, wherever they stand */
            priceSignificantDigits: components["schemas"]["Int"] | null;
            /** @description What it is settled in: the quote asset, the base asset, a third. Quantities and their limits then count contracts; null: they count the base asset */
            contractType: ("LINEAR" | "INVERSE" | "QUANTO") | null;
            /** @description What one contract stands for: of the base asset where LINEAR, of the quote asset where INVERSE */
            contractSize: string | null;
            maxQuantity: string | null;
            minNotional: string | null;
            /** @enum {string} */
            status: "ACTIVE" | "DELISTED";
        };
        RetireInstrument: {
            /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
            instrumentId: string;
        };
        Venue: {
            venue: string;
            name: string;
            /** @enum {string} */
            status: "ACTIVE" | "INACTIVE";
            features: string[];
            /**
             * @description How far it is proven what the venue does with orders. EXPERIMENTAL: not yet, so accounts are connected and new orders taken only where the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it takes none. Market data are served everywhere
             * @enum {string}
             */
            orders: "PROVEN" | "EXPERIMENTAL" | "NONE";
        };
        VenueCapability: {
            venue: string;
            /** @description As in market/venue/list */
            features: string[];
            /**
             * @description How far it is proven what the venue does with orders. EXPERIMENTAL: not yet, so accounts are connected and new orders taken only where the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it takes none. Market data are served everywhere
             * @enum {string}
             */
            orders: "PROVEN" | "EXPERIMENTAL" | "NONE";
            /** @description What is not proven yet; null where orders are PROVEN */
            ordersMissing: string | null;
            /** @description This installation connects accounts there and sends new orders: they are PROVEN, or it has opted in */
            takesOrders: boolean;
            /** @description Types of orders that are taken */
            orderTypes: string[];
            /** @description Times in force that are taken */
            timesInForce: string[];
            /** @description GTX and LIMIT_MAKER are taken */
            postOnly: boolean;
            /** @description The venue's test environment, a venue of its own here; null: it has none, or is one */
            sandboxVenue: string | null;
            /** @description The venue itself refuses an order that arrives later than this; null: it accepts it however late */
            orderExpiryMillis: components["schemas"]["Int"] | null;
            /** @description The venue has them; without, MARKET is refused */
            marketOrders: boolean;
            /** @description Those that the venue itself enforces */
            nativeTimesInForce: ("GTC" | "IOC" | "FOK" | "GTD" | "DAY" | "GTX")[];
            /** @description Who watches the trigger of such an order. Which of them are taken, orderTypes says */
            triggers: {
                /**
                 * @description NATIVE: the venue itself, also while the gateway is away. EMULATED: the gateway
                 * @enum {string}
                 */
                stop: "NATIVE" | "EMULATED";
                /**
                 * @description NATIVE: the venue itself, also while the gateway is away. EMULATED: the gateway
                 * @enum {string}
                 */
                takeProfit: "NATIVE" | "EMULATED";
                /**
                 * @description NATIVE: the venue itself, also while the gateway is away. EMULATED: the gateway
                 * @enum {string}
                 */
                trailing: "NATIVE" | "EMULATED";
            };
            /** @description The venue takes take-profit and stop-loss with the entry order */
            attachedExits: boolean;
            /**
             * @description Who ends one leg of a pair of exits by the other. NATIVE: the venue, also while the gateway is away; the exits of an entry are given to it when the entry is over
             * @enum {string}
             */
            oco: "NATIVE" | "EMULATED";
            /** @description The venue accepts a market buy sized in the quote asset */
            marketBuyByCost: boolean;
            /** @description The venue accepts a market buy sized in the quote asset only */
            marketBuyNeedsCost: boolean;
            /** @description The venue changes a working order */
            amend: boolean;
            /**
             * @description NATIVE: the venue cancels all orders in one request. EMULATED: the gateway cancels one after the other
             * @enum {string}
             */
            cancelAll: "NATIVE" | "EMULATED";
            /**
             * @description Who cancels all orders when the client falls silent. NATIVE: the venue, also while the gateway is away
             * @enum {string}
             */
            cancelAllAfter: "NATIVE" | "EMULATED";
            /** @description Ids of ours that the venue keeps with an order; the gateway makes them. null: it keeps none */
            clientOrderIds: {
                /**
                 * @description TEXT: letters, digits and signs such as - and _
                 * @enum {string}
                 */
                form: "TEXT" | "ALPHANUMERIC" | "UUID" | "INTEGER";
                /** @description Characters; null: not known */
                lengthMax: components["schemas"]["Int"] | null;
                /** @description The venue refuses an id that was ever used, used on that day (UTC), used by an open order, or none; null: not known */
                unique: ("ALWAYS" | "DAY" | "OPEN" | "NO") | null;
            } | null;
            streams: {
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                orderBook: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                trades: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                ticker: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                klines: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                orders: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                executions: "STREAM" | "POLLED" | "DERIVED" | "NONE";
                /**
                 * @description STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available
                 * @enum {string}
                 */
                balances: "STREAM" | "POLLED" | "DERIVED" | "NONE";
            };
            /**
             * @description How a lost order book update is noticed. NONE: the venue gives no means; a crossed or silent book tells
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
            /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
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
            /** @description The most that may be open and not hedged, in the risk currency; absent: no limit */
            riskThreshold?: string | null;
            config?: components["schemas"]["DealerConfig"] | null;
        };
        DealerConfig: {
            /** @description By pricingProfileId; at most 100. Those that a request may name are listed in clientPricingProfiles */
            pricingProfiles?: {
                [key: string]: components["schemas"]["PricingProfile"];
            };
            /** @description The profile of requests that name none; without one markupBps is 10 */
            defaultPricingProfile?: string;
            /** @description Profiles that a request may name beside the default; absent or empty: none, so that no client picks its own markup */
            clientPricingProfiles?: string[];
            /** @description What exposure is valued in; default the first of baseCurrencies */
            riskCurrency?: string;
            /** @description Users who see the whole dealer and may link accounts of their own */
            operators?: components["schemas"]["UUID"][];
            /** @description What a hedge pays there, by venue; 10 for a venue that is not named */
            takerFeeBpsByVenue?: {
                [key: string]: components["schemas"]["Int"] | string;
            };
            hedge?: components["schemas"]["HedgeSettings"];
            pricing?: components["schemas"]["PricingSettings"];
            caps?: components["schemas"]["QuoteCaps"];
        };
        PricingProfile: {
            /** @description Added to what the book costs; default 10 */
            markupBps?: components["schemas"]["Int"] | string;
            /** @description Added for every second that the quote is firm; default 0.1 for every second beyond the first 10 */
            ttlBps?: components["schemas"]["Int"] | string;
            /** @description Price × quantity of a quote at most, in its quote asset */
            maxNotional?: string;
            /** @description Price × quantity of a quote at least, in its quote asset */
            minNotional?: string;
        };
        HedgeSettings: {
            /** @description How far beyond the last level of the priced walk a hedge may go; default 25 */
            slippageBps?: components["schemas"]["Int"] | string;
            /** @description How long after one attempt the next is made for what remains; default 500 */
            repriceMs?: components["schemas"]["Int"];
            /** @description Attempts at a limit price; default 10 */
            attemptsMax?: components["schemas"]["Int"];
            /** @description After the last attempt the rest is hedged at market; default false */
            allowMarket?: boolean;
            /** @description How long opposite exposures are waited for before a hedge leaves; default 0 */
            nettingWindowMs?: components["schemas"]["Int"];
            /** @description When all attempts failed the exposure stays open, and is tried again after this long; default 10000 */
            retryMs?: components["schemas"]["Int"];
        };
        PricingSettings: {
            /** @description Prices may come from accounts on INTERNAL, MOCK and PAPER, whose books clients can move, and on test networks (_UAT), and hedges of what was priced there may go there. INTERNAL has the ledger's own money and counts beside real venues (with ENVIRONMENT=UAT beside test networks); MOCK and PAPER, and test networks, never do, and never two of these kinds in one dealer; default false */
            allowSimulatedVenues?: boolean;
            /** @description How far a book may be from the median of all fresh ones, in percent of it; one that is farther prices nothing, and of two that differ so much neither does; above 0, at most 100, default 5 */
            collarPercent?: components["schemas"]["Int"] | string;
        };
        QuoteCaps: {
            /** @description Firm quotes that may be outstanding at once; the service's own limit holds besides */
            openQuotes?: components["schemas"]["Int"];
            /** @description The same for one user, over all accounts */
            openQuotesPerUser?: components["schemas"]["Int"];
            /** @description How much of the dealer's room, in quotes, inventory and risk, may be taken by quotes that their clients could not pay for when they were made; default 10, 0: none are made */
            uncoveredPercent?: components["schemas"]["Int"];
            /** @description The same for one trading account */
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
            /** @description Extension: firm quotes that are not over */
            openQuotes: components["schemas"]["Int"] | null;
            /** @description Extension: positions, exposure and profit, pair by pair */
            hedging: components["schemas"]["HedgeReport"][] | null;
        };
        HedgeReport: {
            /** @description <BASE>/<QUOTE> */
            symbol: string;
            /**
             * @description FLAT: nothing is open. ACCUMULATING: less than the venue takes, it waits for more. HEDGING: an order is at work, or the next is about to leave. IN_DOUBT: the outcome of an order is not known, its account is being asked. OPEN: attempts failed, the next ones come later. CARRIED: all that may be open is in doubt at accounts that can be asked no longer
             * @enum {string}
             */
            state: "FLAT" | "ACCUMULATING" | "HEDGING" | "IN_DOUBT" | "OPEN" | "CARRIED";
            /** @description How long the oldest of what is open, or in doubt, has been so; null where nothing is */
            ageMs: components["schemas"]["Int"] | null;
            /** @description In base, executed with clients and not hedged, or taken by a venue as its fee: above zero long, below zero short */
            position: string;
            /** @description In base: what hedges left in doubt at accounts that can be asked no longer may have bought (above zero) or sold. It is not in position, and is not hedged a second time */
            carried: string;
            /** @description Hedges whose outcome is not known, oldest first: dealer/hedge/resolve ends such a doubt */
            inDoubt: components["schemas"]["HedgeInDoubt"][];
            /** @description Its size at the middle of the book, in the quote asset; null without a book */
            exposure: string | null;
            /** @description What clients paid beyond the walked prices */
            spreadCaptured: string;
            /** @description What hedges cost beyond the walked prices, fees in base included; below zero, less */
            hedgeSlippage: string;
            /** @description Of the position, at the middle of the book; null without one */
            unrealised: string | null;
            /** @description spreadCaptured − hedgeSlippage + unrealised, before fees in other assets than base */
            profit: string | null;
            /** @description What venues took for hedges. What they took in base is in position and profit already: it is hedged again */
            fees: {
                asset: string;
                quantity: string;
            }[];
            /** @description Executed quotes that make up the position, oldest first; at most 100 */
            openQuoteIds: string[];
            /** @description Hedges at work, as tradeOrderId; none that is carried, or that an admin has spoken of */
            openHedgeIds: string[];
            /** @description Why the newest attempt closed nothing */
            trouble: string | null;
        };
        HedgeInDoubt: {
            tradeOrderId: string;
            tradingAccountId: string;
            /** @enum {string} */
            orderSide: "BUY" | "SELL";
            /** @description In base: what it may have executed beyond what is known */
            quantity: string;
            /** @description Its account can be asked no longer: nothing is sent for this part until dealer/hedge/resolve says more */
            isCarried: boolean;
            /** @description Since it was submitted */
            ageMs: number;
        };
        UpdateDealer: {
            /**
             * Format: uuid
             * @description a Universally Unique Identifier
             */
            dealerAccountId: string;
            /** @description Of the record that this was made from: a dealer that was changed since is not overwritten */
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
            /** @description What the account will have more or less: of a withdrawal with the fee that its venue takes */
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
            /** @description What was seen of it at the venue, and posted */
            settledAmount: string;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            /** @description What is not seen by then is told of, and explains nothing more */
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
            /** @description In base, all that it executed; "0": nothing. Of a buy less what the venue took of it as its fee, where it has not told of that. At least what its venue has told of, at most what was asked for */
            executedQuantity: string;
            /** @description For one of base; required unless executedQuantity is 0 */
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
            /** @description INTERNAL:<BASE>/<QUOTE> (of a tenant other than the installation's own …@<TENANT>), or the same pair at a venue of the dealer's */
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
            /** @description A repeat with the same content is answered the quote that there is */
            quoteRequestId?: string | null;
            /** @description Seconds, 1 to 300, default 10; or expireAt */
            ttl?: components["schemas"]["Int"] | null;
            /** @description ISO 8601, 1 to 300 s ahead; or ttl */
            expireAt?: string | null;
            /** @description One of the dealer's config.clientPricingProfiles, or its default, as it is written there; any other one is -140003 */
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
            /** @description Extension: how the price came about */
            receipt: components["schemas"]["PricingReceipt"] | null;
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            updatedAt: components["schemas"]["Int"];
            updatedAtDateTime: string;
            expireAt: components["schemas"]["Int"];
            expireAtDateTime: string | null;
        };
        PricingReceipt: {
            /** @description For the dealer's side, else null */
            tradingAccountId: string | null;
            venue: string;
            instrumentId: string;
            bookAt: components["schemas"]["Int"];
            bookAtDateTime: string;
            /** @description [price, quantity] taken of each of the first 20 levels, best first; for the dealer's side, else null. Quotes of older versions of the gateway have all levels */
            levels: [
                string,
                string
            ][] | null;
            /** @description What was taken of the levels after the first 20: how many there were, and how much base and quote asset together; null when there were none, and where levels is null */
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
            /** @description By asset; assets without anything are left out */
            balances: components["schemas"]["WalletBalance"][];
            createdAt: components["schemas"]["Int"];
            createdAtDateTime: string;
            /** @description Of the last change: of its status, or by a transfer or hold of any asset */
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
            /** @description null: not yours to know */
            counterWalletId: string | null;
            /**
             * @description pending: a hold; post and void end it, moving its amount or a part of it, or nothing
             * @enum {string}
             */
            kind: "single" | "pending" | "post" | "void";
            /** @description The hold that this ends */
            pendingId: string | null;
            asset: string;
            /** @description Of a void: what it released */
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
        OrderStory: {
            /** @description The order's status; REFUSED: there never was an order */
            outcome: string;
            /** @description Why it was refused, rejected or cancelled */
            reason: string | null;
            tradingAccountId: string;
            tradeOrder: components["schemas"]["TradeOrder"] | null;
            /** @description In the order of their times */
            steps: {
                at: components["schemas"]["Int"];
                atDateTime: string;
                /** @enum {string} */
                stage: "REQUEST" | "CHECKS" | "COMMIT" | "VENUE" | "EVIDENCE" | "FILL" | "EVENT" | "QUARANTINE" | "END";
                what: string;
            }[];
            /** @description What is not stored, or not any more */
            notKept: string[];
        };
        Status: {
            at: components["schemas"]["Int"];
            tradingMode: components["schemas"]["TradingMode"];
            /** @description Of the main thread: the longest of the last 10 to 20 s */
            loopDelayMs: number;
            /** @description How many there are, by state; inDoubt: orders whose outcome is not known */
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
            /** @description Questions to the venue without an answer yet */
            callsInFlight: number;
            /** @description Streams that lost their place in the venue's sequence */
            gaps: number;
            /** @description Streams that were interrupted */
            losses: number;
            resyncs: components["schemas"]["Int"];
            /** @description Of the venue's request budget, 0 to 1 */
            budgetUsed: number | null;
            /** @description The venue asked for a pause: what is left of it */
            budgetPausedMs: number;
            /** @description Requests that wait for the budget, by what they are for */
            waiting: {
                [key: string]: components["schemas"]["Int"];
            };
            /** @description Answers of the venue: ok, limited, refused, failed */
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
            /** @description The longest delay of the last 10 to 20 s */
            loopDelayMs: number;
            /** @description Share of that time in which its loop was busy, 0 to 1 */
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
            /** @description The chain that the row stands in */
            lane: string;
            /** @description Its place there, from 1 without a gap */
            number: number;
            at: components["schemas"]["Int"];
            atDateTime: string;
            action: string;
            /** @description ok, or the failure's name: nothing was done then */
            result: string;
            /**
             * @description OPERATOR: the command line; SYSTEM: the gateway itself
             * @enum {string}
             */
            actorKind: "USER" | "OPERATOR" | "SYSTEM";
            /** @description Who did it */
            userId: string | null;
            sessionId: string | null;
            keyId: string | null;
            /** @description The actor's */
            tenantId: string | null;
            ip: string | null;
            /** @description Of the command line: whose account of the machine it ran under */
            userAgent: string | null;
            /** @description The gateway's own id of the request: callId of the access log */
            requestId: string | null;
            /** @description As the client named the request */
            clientRequestId: string | null;
            objectType: string | null;
            objectId: string | null;
            objectTenantId: string | null;
            /** @description The other party: the second wallet of a transfer, the linked account */
            otherId: string | null;
            asset: string | null;
            amount: string | null;
            /** @description Further words: a right, a mode and its reason, a venue */
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
            /** @description The user's. Where the mode is read, only what reads is done */
            permissions: ("read" | "write" | "admin")[];
            user: components["schemas"]["User"];
        };
        RenewConsole: {
            /** @description Of a session that was just opened or proven anew. Without it: the cookie's */
            refreshToken?: string | null;
        };
        Failure: {
            /** @enum {boolean} */
            success: false;
            /** @description Negative; which failure it is. Numbers are never reused */
            errno: number;
            /** @description The failure in words */
            error: string;
            data: null;
            details: {
                /** @description The failure's upper-case name, for example INVALID_TOKEN */
                code: string;
                resource: string;
                action: string;
                /** @description Equal to the header X-Request-ID */
                request_id: string;
                /** @description Why, as a word that callers act on; of failures that say so */
                reason?: string;
                /** @description What the failure is about: its own fields */
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
        /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
        "X-Request-ID": string;
        /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
        "Idempotency-Key": string;
        /** @description The order's idempotencyKey, as if it stood in the body. Both given and different: 400 */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description For admins: of that user instead of yours */
                userId?: string;
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description For admins: of that user instead of yours */
                userId?: string;
                /** @description A venue identifier, for example BINANCE, BINANCE_UAT or MOCK */
                venue?: string;
                /** @description An asset code; shown even when it is zero */
                currency?: string;
                /** @description Records of a page: 1 to 100, default 10 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The order's idempotencyKey, as if it stood in the body. Both given and different: 400 */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description The children of a contingent order, or both legs of a pair without one */
                orderListId?: string;
                /** @description OPEN, PENDING and CANCELLED select every state that is shown so; formal words match exactly */
                orderStatus?: "CREATED" | "SUBMITTED" | "ACCEPTED" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "PENDING_CANCEL" | "REPLACED" | "PENDING_REPLACE" | "REJECTED" | "EXPIRED" | "REVOKED" | "UNKNOWN" | "PENDING" | "OPEN";
                /** @description The reference's name of orderStatus */
                status?: "CREATED" | "SUBMITTED" | "ACCEPTED" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "PENDING_CANCEL" | "REPLACED" | "PENDING_REPLACE" | "REJECTED" | "EXPIRED" | "REVOKED" | "UNKNOWN" | "PENDING" | "OPEN";
                /** @description a Universally Unique Identifier */
                tradingAccountId?: string;
                /** @description For admins: of that user instead of yours */
                userId?: string;
                /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
                instrumentId?: string;
                /** @description createdAt from here on, ms, inclusive */
                startTime?: components["schemas"]["Int"];
                /** @description createdAt up to here, ms, inclusive */
                endTime?: components["schemas"]["Int"];
                /** @description Extension: updatedAt from here on, ms, inclusive; archived orders, too. The order of the list stays that of createdAt, so that an order which changes meanwhile is on one page all the same. A change is seen when it is stored, a little after its updatedAt: ask from some 10 s before the newest that you have */
                updatedSince?: components["schemas"]["Int"];
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
                /** @description Oldest first; default false */
                ascending?: boolean;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
                instrumentId?: string;
                /** @description a string at most 32 character(s) long */
                securityType?: string;
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
                instrumentId: string;
                /** @description Rows of each side: 1 to 1000, default 10 */
                depth?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Rows of each side: 1 to 1000, default 10 */
                depth?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
                instrumentId: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
                instrumentId: string;
                /** @description One of 1s, 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 1d, 3d, 1w, 1M */
                interval: string;
                /** @description The first open time, in ms; without it the last bars come */
                from?: components["schemas"]["Int"];
                /** @description The last open time, in ms; now when left out */
                to?: components["schemas"]["Int"];
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description <VENUE>:<BASE>/<QUOTE>; a market of INTERNAL of a tenant other than the installation's own: …@<TENANT> */
                instrumentId?: string;
                /** @description For admins: of that user instead of yours */
                userId?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description All quotes of a dealer whose side you are on; else yours of it */
                dealerAccountId?: string;
                /** @description a Universally Unique Identifier */
                traderAccountId?: string;
                /** @description For admins: of that user instead of yours */
                userId?: string;
                status?: "CREATED" | "ACCEPTED" | "EXECUTED" | "REJECTED" | "EXPIRED" | "CANCELLED";
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0 */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0, at most 10000: go further with the cursor */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0, at most 10000: go further with the cursor */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
    "adminOrder.get": {
        parameters: {
            query: {
                /** @description tradeOrderId, or the gateway's own id of a request that was refused (callId of the access log); with tradingAccountId also clientOrderId, idempotencyKey, the venue's id of the order, or X-Request-ID */
                id: string;
                /** @description a Universally Unique Identifier */
                tradingAccountId?: string;
                /** @description Events with later numbers of the account's alone: where a story says that there are more than it tells at once */
                eventsAfter?: components["schemas"]["Int"];
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
                /** @description The operation is done at most once per key, user and operation; a repeat within 7 days is answered as the first call was. A call that failed frees its key */
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
                /** @description The first instant, in ms */
                from?: components["schemas"]["Int"];
                /** @description The last instant, in ms */
                to?: components["schemas"]["Int"];
                /** @description Records of a page: 1 to 1000, default 50 */
                limit?: components["schemas"]["Int"];
                /** @description Records to skip, default 0, at most 10000: go further with the cursor */
                offset?: components["schemas"]["Int"];
                /** @description pagination.cursor of the page before; filters left out are the ones it was made with */
                cursor?: string;
            };
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
    "console.renew": {
        parameters: {
            query?: never;
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
                "X-Request-ID"?: components["parameters"]["X-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenewConsole"];
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
    "console.end": {
        parameters: {
            query?: never;
            header?: {
                /** @description Yours is echoed when it is 1 to 64 of letters, digits, dot, underscore, hyphen */
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
