"""A first bot: buys at the best price that it sees, waits for the end, and leaves nothing behind."""

from me import URL, me
from venue_gateway import Account, Book, Gateway, Replayed, Stored, await_closed, keep_alive, submit

with Gateway(URL, me()) as gateway:
    # Listed first: a key that is limited to accounts connects none, and sees those that it is for.
    mine = gateway.get("tradingAccount/list", {"venue": "MOCK", "accountStatus": "ACTIVE"})
    if mine:
        account_id = mine[0]["tradingAccountId"]
    else:
        made = gateway.post("tradingAccount/connect", {"venue": "MOCK", "externalTradingAccountId": "first-bot"})
        account_id = made["tradingAccountId"]
    account = Account(gateway, account_id).ready()
    book = Book(gateway, "MOCK:BTC/USDT").ready()
    # Should this program fall silent, the gateway cancels what it left.
    alive = keep_alive(gateway, account_id, timeout=15)
    submission = submit(
        gateway,
        {
            "tradingAccountId": account_id,
            "instrumentId": book.instrument_id,
            "orderSide": "BUY",
            "orderType": "LIMIT",
            "quantity": "0.01",
            "limitPrice": book.asks[0][0],
        },
        # Before the first byte leaves: a bot that is started again submits the same with `key`.
        persist=lambda key, order: print("kept", key),
    )
    match submission:
        case Stored(order=order) | Replayed(order=order):
            closed = await_closed(gateway, order, account=account, timeout=10)
            print(closed["status"], closed["executedQuantity"], "at", closed["averagePrice"])
        case refused_or_unanswered:
            print(type(refused_or_unanswered).__name__, refused_or_unanswered.error)
    gateway.post("tradeOrder/cancelAll", {"tradingAccountId": account_id})
    alive.stop(disarm=True)
    print("open orders", len(account.orders), "events", account.proof)
