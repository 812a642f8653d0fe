// Made by `bun run client` from the OpenAPI document of the service.

/** The operations whose POST an `Idempotency-Key` makes repeatable. */
export const repeatable: ReadonlySet<string> = new Set([
  "/v1/invoices",
  "/api/invoices",
  "/api/v1/invoices",
  "/v1/webhooks",
  "/api/webhooks",
  "/api/keys",
  "/v1/mandates",
  "/api/budget/check"
])

export interface paths {
    readonly "/v1/invoices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description With `Accept: text/csv` all invoices that match come as a file, `limit`, `page` and `cursor` aside. Needs the permission `invoices:read`.
         */
        readonly get: operations["getV1Invoices"];
        readonly put?: never;
        /**
         * Create an invoice
         * @description The answer says where to pay, and what must arrive there. Needs the permission `invoices:write`.
         */
        readonly post: operations["postV1Invoices"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/invoices/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an invoice
         * @description Needs the permission `invoices:read`.
         */
        readonly get: operations["getV1InvoicesById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description With `Accept: text/csv` all invoices that match come as a file, `limit`, `page` and `cursor` aside. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiInvoices"];
        readonly put?: never;
        /**
         * Create an invoice
         * @description The answer says where to pay, and what must arrive there. Needs the permission `invoices:write`.
         */
        readonly post: operations["postApiInvoices"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an invoice
         * @description One that was made in `/v1` may have fractions of a smallest unit: they are rounded. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiInvoicesById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices/{id}/send": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mark an invoice as sent
         * @description Once more is the same answer; one that is paid or closed is refused. Needs the permission `invoices:write`.
         */
        readonly post: operations["postApiInvoicesByIdSend"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices/{id}/void": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Void an invoice
         * @description Nobody is to pay it any more: it fails. Once more is the same answer; one that has been paid, even in part, is refused. Needs the permission `invoices:write`.
         */
        readonly post: operations["postApiInvoicesByIdVoid"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices/{id}/timeline": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read what has happened to an invoice
         * @description Its transitions, oldest first (of very many, the last 200), and the USDC transfers that are credited to it now. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiInvoicesByIdTimeline"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invoices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description With `Accept: text/csv` all invoices that match come as a file, `limit`, `page` and `cursor` aside. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiV1Invoices"];
        readonly put?: never;
        /**
         * Create an invoice
         * @description In the flat form; the answer says where to pay, and what must arrive there. Needs the permission `invoices:write`.
         */
        readonly post: operations["postApiV1Invoices"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invoices/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an invoice
         * @description One that was made in `/v1` may have fractions of a smallest unit: they are rounded. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiV1InvoicesById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/public/invoices/{id}/claim": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Claim a transfer for an invoice
         * @description For a payer whose transfer named no invoice. Nobody needs a key: the sender of the transfer signs (EIP-191 on EVM chains, ed25519 on Solana) these five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, `Invoice: <id>`, `Chain: <chain>`, `Transaction: <hash, in lower case on EVM chains>`. Claimed transfers add up. A transaction that has not been noticed yet is answered 202 and credited when it is; once more is the same answer.
         */
        readonly post: operations["postV1PublicInvoicesByIdClaim"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/transfers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List transfers to our addresses, newest first
         * @description Of all accounts. `unmatched` are all that no invoice got, `ambiguous` those among them that invoices of several accounts could mean. Needs the permission `admin`.
         */
        readonly get: operations["getApiTransfers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/transfers/{id}/assign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Assign a transfer to an invoice
         * @description For a transfer that no invoice got; the invoice may be of any account, open or expired, and asks to be paid where the transfer went. Once more is the same answer. Needs the permission `admin`.
         */
        readonly post: operations["postApiTransfersByIdAssign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices/{id}/pdf": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * An invoice as a PDF
         * @description In any state; with the invoice as EN 16931 XML inside (Factur-X). What a tax office might object to is listed in `X-Document-Warnings`: `seller_name_missing`, `seller_address_missing`, `seller_vat_missing`, `seller_vat_format`, and the like for the buyer. Nothing is refused for it. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiInvoicesByIdPdf"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/invoices/{id}/xml": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * An invoice as EN 16931 XML
         * @description UBL 2.1, or UN/CEFACT CII D16B. What a tax office might object to is listed in `X-Document-Warnings`: `seller_name_missing`, `seller_address_missing`, `seller_vat_missing`, `seller_vat_format`, and the like for the buyer. Nothing is refused for it. Needs the permission `invoices:read`.
         */
        readonly get: operations["getApiInvoicesByIdXml"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the permission `webhooks:read`.
         */
        readonly get: operations["getV1Webhooks"];
        readonly put?: never;
        /**
         * Create a webhook
         * @description Without `secret` one is made, and shown in this answer only: not when it is repeated for the same `Idempotency-Key`. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postV1Webhooks"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the permission `webhooks:read`.
         */
        readonly get: operations["getV1WebhooksById"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a webhook
         * @description What was still to be delivered is cancelled. Needs the permission `webhooks:write`.
         */
        readonly delete: operations["deleteV1WebhooksById"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook
         * @description Activating one that was switched off resumes what is still to be delivered. Needs the permission `webhooks:write`.
         */
        readonly patch: operations["patchV1WebhooksById"];
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Change the signing secret
         * @description Until `previousSecretUntil`, 24 hours on, deliveries carry a signature of each. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postV1WebhooksByIdRotateSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deliver a sample event
         * @description Signed, retried and logged like any other; what it tells of does not exist. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postV1WebhooksByIdTest"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description Needs the permission `webhooks:read`.
         */
        readonly get: operations["getV1WebhooksByIdDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/deliveries/{id}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deliver once more
         * @description Due at once, whatever became of it before. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postV1DeliveriesByIdRedeliver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the permission `webhooks:read`.
         */
        readonly get: operations["getApiWebhooks"];
        readonly put?: never;
        /**
         * Create a webhook
         * @description Without `secret` one is made, and shown in this answer only: not when it is repeated for the same `Idempotency-Key`. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postApiWebhooks"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the permission `webhooks:read`.
         */
        readonly get: operations["getApiWebhooksById"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a webhook
         * @description What was still to be delivered is cancelled. Needs the permission `webhooks:write`.
         */
        readonly delete: operations["deleteApiWebhooksById"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook
         * @description Activating one that was switched off resumes what is still to be delivered. Needs the permission `webhooks:write`.
         */
        readonly patch: operations["patchApiWebhooksById"];
        readonly trace?: never;
    };
    readonly "/api/webhooks/{id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Change the signing secret
         * @description Until `previousSecretUntil`, 24 hours on, deliveries carry a signature of each. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postApiWebhooksByIdRotateSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/webhooks/{id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deliver a sample event
         * @description Signed, retried and logged like any other; what it tells of does not exist. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postApiWebhooksByIdTest"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description Needs the permission `webhooks:read`.
         */
        readonly get: operations["getApiWebhooksByIdDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/deliveries/{id}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deliver once more
         * @description Due at once, whatever became of it before. Needs the permission `webhooks:write`.
         */
        readonly post: operations["postApiDeliveriesByIdRedeliver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Revoked and expired ones, too. Needs the permission `dashboard:read`.
         */
        readonly get: operations["getApiKeys"];
        readonly put?: never;
        /**
         * Create an API key
         * @description `key` is shown in this answer only: not when it is repeated for the same `Idempotency-Key`. Without `scopes` it may do all that the key in use may, but for `admin`, which is never granted here; without `expiresAt` it lasts as long as the key in use. An account has at most 50 keys. Needs the permission `dashboard:read`.
         */
        readonly post: operations["postApiKeys"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke an API key
         * @description It is refused within 5 seconds, and so are its sessions and tokens. A key can revoke itself, and any that may do no more than it may. Once more is the same answer. Needs the permission `dashboard:read`.
         */
        readonly delete: operations["deleteApiKeysById"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/receipts/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a receipt
         * @description Needs the permission `invoices:read`.
         */
        readonly get: operations["getV1ReceiptsById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/public/receipts/{id}/bundle": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get what proves a receipt
         * @description Everything that anyone needs to check it against the chain alone. Nobody needs a key.
         */
        readonly get: operations["getV1PublicReceiptsByIdBundle"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mandates": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List mandates, newest first
         * @description Needs the permission `mandates:read`.
         */
        readonly get: operations["getV1Mandates"];
        readonly put?: never;
        /**
         * Propose a mandate
         * @description Terms and context are kept, and given back, exactly as they were sent. Needs the permission `mandates:write`.
         */
        readonly post: operations["postV1Mandates"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mandates/canonicalize": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get the bytes that both parties of a mandate sign
         * @description A help for those who sign; nothing is kept, and no secret is involved. Needs the permission `mandates:read`.
         */
        readonly post: operations["postV1MandatesCanonicalize"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mandates/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a mandate with its transitions
         * @description Needs the permission `mandates:read`.
         */
        readonly get: operations["getV1MandatesById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mandates/{id}/sign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign a mandate
         * @description The signature is the HMAC-SHA256, in hex, of the canonical bytes under the signing secret of the account. The proposer signs first. Repeating an accepted signature changes nothing and answers with the state of now. Needs the permission `mandates:write`.
         */
        readonly post: operations["postV1MandatesByIdSign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mandates/{id}/complete": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Complete a mandate
         * @description Needs the permission `mandates:write`.
         */
        readonly post: operations["postV1MandatesByIdComplete"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mandates/{id}/dispute": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Dispute a mandate that both parties have signed
         * @description Needs the permission `mandates:write`.
         */
        readonly post: operations["postV1MandatesByIdDispute"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/public/mandates/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * See that a mandate exists, and where it stands
         * @description Nobody needs a key, and nothing is said about what was agreed.
         */
        readonly get: operations["getV1PublicMandatesById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/budget": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the budgets of all agents
         * @description By the name of the agent, each with what has been spent and reserved of it. Needs the permission `budgets:read`.
         */
        readonly get: operations["getApiBudget"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/budget/{agentId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read an agent's budget
         * @description Needs the permission `budgets:read`.
         */
        readonly get: operations["getApiBudgetByAgentId"];
        /**
         * Set an agent's budget
         * @description Changes what the body names and leaves the rest; a new budget needs a limit. Needs the permission `budgets:write`.
         */
        readonly put: operations["putApiBudgetByAgentId"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/budget/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Check whether an agent may spend an amount
         * @description With `reserve` (which needs the permission `budgets:write`) the amount is set aside for 60 seconds: however many ask at once, what is granted never passes the limit. An agent without a budget may spend anything; its limit is null. Needs the permission `budgets:read`.
         */
        readonly post: operations["postApiBudgetCheck"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/budget/reservations/{id}/commit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Spend what a reservation set aside
         * @description Once more is the same answer; after release or expiry it is refused. Needs the permission `budgets:write`.
         */
        readonly post: operations["postApiBudgetReservationsByIdCommit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/budget/reservations/{id}/release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give back what a reservation set aside
         * @description Once more is the same answer; after a commit it is refused. Needs the permission `budgets:write`.
         */
        readonly post: operations["postApiBudgetReservationsByIdRelease"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/x402/proxy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Send a GET request on, and pay for it
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice, and no further. Needs the permission `invoices:write`.
         */
        readonly get: operations["getApiX402Proxy"];
        /**
         * Send a PUT request on, and pay for it
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice, and no further. Needs the permission `invoices:write`.
         */
        readonly put: operations["putApiX402Proxy"];
        /**
         * Send a POST request on, and pay for it
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice, and no further. Needs the permission `invoices:write`.
         */
        readonly post: operations["postApiX402Proxy"];
        /**
         * Send a DELETE request on, and pay for it
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice, and no further. Needs the permission `invoices:write`.
         */
        readonly delete: operations["deleteApiX402Proxy"];
        /**
         * Send a OPTIONS request on, and pay for it
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice, and no further. Needs the permission `invoices:write`.
         */
        readonly options: operations["optionsApiX402Proxy"];
        readonly head?: never;
        /**
         * Send a PATCH request on, and pay for it
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice, and no further. Needs the permission `invoices:write`.
         */
        readonly patch: operations["patchApiX402Proxy"];
        readonly trace?: never;
    };
    readonly "/api/x402/invoice": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create an invoice for 0.01 USDC
         * @description Without a payment the answer is 402 with `PAYMENT-REQUIRED`; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or `x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. Clients of x402 v1, which read the body, are pointed at `?x402Version=1`.
         */
        readonly post: operations["postApiX402Invoice"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/x402/settle": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Learn whether an invoice is settled, for 0.005 USDC
         * @description Without a payment the answer is 402 with `PAYMENT-REQUIRED`; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or `x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. Clients of x402 v1, which read the body, are pointed at `?x402Version=1`.
         */
        readonly post: operations["postApiX402Settle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/tax/calculate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Calculate the tax on an amount
         * @description Adds the VAT of a country to an amount, rounding half a minor unit up. Without `currency` the answer says USD.
         */
        readonly post: operations["postApiTaxCalculate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tax/calculate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Calculate the tax on an amount
         * @description Adds the VAT of a country to an amount, rounding half a minor unit up. Without `currency` the answer says USD.
         */
        readonly post: operations["postApiV1TaxCalculate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tax/rates": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the tax rates
         * @description Of all countries, or of one as a single object.
         */
        readonly get: operations["getApiV1TaxRates"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get a token for the dashboard
         * @description Good for 60 minutes, and no longer than the key it was asked with. Needs the permission `dashboard:read`.
         */
        readonly post: operations["postApiV1AuthToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/dashboard/tax-summary": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Sum up the tax of settled invoices
         * @description By currency and country, over all settled and completed invoices of the account. Currencies are never added up. With `Accept: text/csv` as a table. Needs the permission `dashboard:read`.
         */
        readonly get: operations["getApiV1DashboardTaxSummary"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/dashboard/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * See where the account stands
         * @description What its open invoices are due, of which nothing has been paid yet, and what settled on each of the last 30 days (UTC), oldest first; whatever the currency of the invoices, in millionths of a USDC. Needs the permission `dashboard:read`.
         */
        readonly get: operations["getApiV1DashboardOverview"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agent-tools/mcp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Call the tool server
         * @description Model Context Protocol over JSON-RPC 2.0: stateless, answered as JSON whatever `Accept` says. One message or a batch of at most 20, each of which counts for the rate limit. `Host` and `Origin` must be ours. Notifications alone are answered with 202.
         */
        readonly post: operations["postAgentToolsMcp"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agent-tools/sections/pricing.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read what calls cost
         * @description Answers with an ETag; `If-None-Match` saves sending it again.
         */
        readonly get: operations["getAgentToolsSectionsPricing.json"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/agent-tools/sections/trust_signals.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read what the service has done so far
         * @description Totals over all accounts, counted anew once a night. Answers with an ETag.
         */
        readonly get: operations["getAgentToolsSectionsTrust_signals.json"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly PaymentDetails: {
            readonly chain: "base" | "polygon" | "arbitrum" | "solana" | "skale";
            /**
             * @description Where to send USDC.
             * @example 0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345
             */
            readonly paymentAddress: string;
            /** @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 */
            readonly usdcAddress: string;
            /**
             * @description What must arrive, in USDC.
             * @example 14.875
             */
            readonly amountDue: string;
            /** @example 0.00 */
            readonly amountReceived: string;
            /**
             * @description Sent along, it says which invoice a transfer pays.
             * @example 0x3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d
             */
            readonly reference: string;
            /**
             * @description For wallets: EIP-681, or Solana Pay.
             * @example ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x8f3c…
             */
            readonly paymentUri: string;
            readonly fx: {
                /** @example 1.08 */
                readonly rate: string;
                /** @example indicative default */
                readonly source: string;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                readonly asOf: string;
            } | null;
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            readonly txHash?: string;
            /** @example 24105337 */
            readonly settlementBlockNumber?: number;
            readonly settlementSource?: "evm-detector" | "solana-detector";
            /** @example 0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345 */
            readonly from?: string;
            /** @example 5 */
            readonly confirmations?: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly settledAt?: string;
            readonly matchedBy?: "reference" | "address" | "claim" | "payer" | "amount" | "operator";
            /** @example 14.875 */
            readonly overpaidAmount?: string;
            /** @constant */
            readonly late?: true;
        };
        readonly DecimalInvoice: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            /**
             * @description Gapless per account and year.
             * @example 1
             */
            readonly invoiceNumber: number;
            readonly status: "PENDING" | "SETTLED" | "FAILED";
            /**
             * @description As it was sent.
             * @example 12.5
             */
            readonly amount: number | string;
            /**
             * @description In units of the currency.
             * @example 14.875
             */
            readonly subtotal: number;
            /**
             * @description In units of the currency.
             * @example 14.875
             */
            readonly taxAmount: number;
            /**
             * @description In units of the currency.
             * @example 14.875
             */
            readonly total: number;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            readonly currency: string;
            /**
             * @description In percent.
             * @example 19
             */
            readonly taxRate: number;
            readonly taxCountry: string | null;
            readonly description: string | null;
            readonly buyer: {
                readonly companyName: string | null;
                readonly email: string | null;
                readonly address: string | null;
                readonly vat: string | null;
            };
            readonly seller: {
                readonly name: string | null;
                readonly wallet: string | null;
                readonly address: string | null;
                readonly vat: string | null;
            };
            readonly paymentDetails: components["schemas"]["PaymentDetails"];
            readonly agentId: string | null;
            readonly mandateId: string | null;
            readonly payer: string | null;
            readonly dueAt: string | null;
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            readonly receiptId: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly updatedAt: string;
        };
        readonly WrappedError: {
            /** @constant */
            readonly success: false;
            readonly error: {
                /** @description Stable, to be compared by programs. */
                readonly code: string;
                /** @description A sentence for people. */
                readonly message: string;
                /** @description The HTTP status once more. */
                readonly status: number;
                /** @description The fields at fault, or the numbers behind a refusal. */
                readonly details?: readonly {
                    readonly path: string;
                    readonly message: string;
                }[] | {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly Invoice: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            /**
             * @description Gapless per account and year.
             * @example INV-2026-0001
             */
            readonly invoiceNumber: string;
            readonly status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly amount: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly subtotal: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 190
             */
            readonly taxAmount: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 190
             */
            readonly tax: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1190
             */
            readonly total: number;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            readonly currency: string;
            /**
             * @description In percent.
             * @example 19
             */
            readonly taxRate: number;
            readonly taxCountry: string | null;
            readonly description: string | null;
            readonly buyer: {
                readonly companyName: string | null;
                readonly email: string | null;
                readonly address: string | null;
                readonly vat: string | null;
            };
            readonly seller: {
                readonly name: string | null;
                readonly wallet: string | null;
                readonly address: string | null;
                readonly vat: string | null;
            };
            readonly paymentDetails: components["schemas"]["PaymentDetails"];
            readonly agentId: string | null;
            readonly mandateId: string | null;
            readonly payer: string | null;
            readonly dueAt: string | null;
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            readonly receiptId: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly updatedAt: string;
        };
        readonly Error: {
            readonly error: {
                /** @description Stable, to be compared by programs. */
                readonly code: string;
                /** @description A sentence for people. */
                readonly message: string;
                /** @description The HTTP status once more. */
                readonly status: number;
                /** @description The fields at fault, or the numbers behind a refusal. */
                readonly details?: readonly {
                    readonly path: string;
                    readonly message: string;
                }[] | {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly InvoiceSummary: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            /**
             * @description Gapless per account and year.
             * @example INV-2026-0001
             */
            readonly invoiceNumber: string;
            readonly status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly amount: number;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            readonly currency: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1190
             */
            readonly total: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
        };
        readonly InvoiceTimeline: {
            readonly data: readonly {
                /** @example 1 */
                readonly sequence: number;
                /**
                 * @description An event type of webhooks, or `payment.credited`, `payment.confirmed`, `payment.reverted`.
                 * @example invoice.created
                 */
                readonly type: string;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                readonly createdAt: string;
                readonly txHash: string | null;
                readonly reason: string | null;
            }[];
            readonly transfers: readonly {
                /** @example 14.875 */
                readonly amount: string;
                /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                readonly txHash: string;
                /** @example 24105337 */
                readonly blockNumber: number;
                /** @example 0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345 */
                readonly from: string;
                readonly matchedBy: "reference" | "address" | "claim" | "payer" | "amount" | "operator";
                readonly confirmed: boolean;
            }[];
        };
        readonly Claim: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly invoiceId: string;
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            readonly txHash: string;
            readonly status: "credited" | "pending";
            readonly invoiceStatus: "PENDING" | "SETTLED" | "FAILED";
            /** @example 14.875 */
            readonly amountDue: string;
            /** @example 14.875 */
            readonly amountReceived: string;
        };
        readonly Transfer: {
            /** @example base:0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e:7 */
            readonly id: string;
            readonly chain: "base" | "polygon" | "arbitrum" | "skale" | "solana" | "ethereum";
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            readonly txHash: string;
            /**
             * @description Log index, or instruction index.
             * @example 7
             */
            readonly position: number;
            /** @example 24105337 */
            readonly blockNumber: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly blockTime: string;
            /** @example 0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345 */
            readonly from: string;
            /** @example 0x00000000000000000000000000000000000000aa */
            readonly to: string;
            /** @example 14.875 */
            readonly amount: string;
            readonly status: "unmatched" | "ambiguous" | "matched";
            readonly state: "seen" | "confirmed" | "reverted";
            readonly invoiceId: string | null;
            readonly matchedBy: ("reference" | "address" | "claim" | "payer" | "amount" | "operator") | null;
            readonly assignedBy: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
        };
        readonly Webhook: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            /** @example https://example.com/hooks */
            readonly url: string;
            readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
            readonly active: boolean;
            readonly disabledReason: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly updatedAt: string;
        };
        readonly Delivery: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly webhookId: string;
            /** @example evt_5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f */
            readonly eventId: string;
            readonly type: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
            readonly state: "pending" | "delivered" | "failed" | "cancelled";
            readonly isTest: boolean;
            readonly attempts: readonly {
                /** @example 1 */
                readonly attempt: number;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                readonly startedAt: string;
                /** @example 41 */
                readonly durationMs: number;
                readonly statusCode: number | null;
                readonly error: string | null;
                readonly responseExcerpt: string | null;
            }[];
            readonly nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
        };
        readonly Key: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            /** @example Billing agent */
            readonly name: string;
            /**
             * @description How the key starts and ends.
             * @example inv_…1f3a
             */
            readonly hint: string;
            readonly scopes: readonly ("invoices:read" | "invoices:write" | "budgets:read" | "budgets:write" | "webhooks:read" | "webhooks:write" | "mandates:read" | "mandates:write" | "dashboard:read" | "admin")[];
            readonly expiresAt: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly createdAt: string;
            readonly revokedAt: string | null;
            readonly lastUsedAt: string | null;
        };
        /** @description Where the event of the receipt is on chain. */
        readonly Anchor: {
            /** @example 84532 */
            readonly chainId: number;
            /** @example 0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0 */
            readonly contract: string;
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            readonly txHash: string;
            readonly blockNumber: number;
            readonly logIndex: number;
        };
        readonly Receipt: {
            /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            readonly receiptId: string;
            /** @example 1 */
            readonly version: string;
            readonly kind: "settlement" | "agreement";
            readonly mandateHash: string | null;
            readonly settlement: {
                readonly settlementId: string;
                /**
                 * Format: uuid
                 * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                 */
                readonly invoiceId: string;
                /** @example INV-2026-0001 */
                readonly invoiceNumber: string;
                /** @example base */
                readonly chain: string;
                readonly usdcAddress: string;
                readonly paymentAddress: string;
                /** @example 14.875 */
                readonly amountDue: string;
                /** @example reference */
                readonly matchedBy: string;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                readonly settledAt: string;
                readonly transfers: readonly {
                    /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
                    readonly txHash: string;
                    readonly blockNumber: number;
                    readonly from: string;
                    /** @example 14.875 */
                    readonly amount: string;
                }[];
            } | null;
            readonly tax: {
                readonly countryCode: string | null;
                /** @example 1900 */
                readonly rateBasisPoints: number;
                /** @example USDC */
                readonly currency: string;
                /** @example 12.5 */
                readonly subtotal: string;
                /** @example 2.375 */
                readonly tax: string;
                /** @example 14.875 */
                readonly total: string;
            } | null;
            readonly payout: {
                /** @example 14.875 */
                readonly gross: string;
                /** @example 0.00 */
                readonly fee: string;
                /** @example 14.875 */
                readonly net: string;
                /** @example USDC */
                readonly currency: string;
                readonly recipient: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly issuedAt: string;
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            readonly hash: string;
            readonly anchor: components["schemas"]["Anchor"] | null;
            readonly invoiceId: string | null;
            readonly revokedAt: string | null;
            readonly status: "pending" | "anchored" | "revoked";
        };
        readonly ReceiptBundle: {
            /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            readonly receiptId: string;
            /** @description The exact text whose SHA-256 is `hash`. */
            readonly preimage: string;
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            readonly hash: string;
            readonly anchor: components["schemas"]["Anchor"] | null;
        };
        readonly ListedMandate: {
            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            readonly id: string;
            /** @example agent_alpha */
            readonly proposer_agent_id: string;
            /** @example agent_beta */
            readonly counterparty_agent_id: string;
            /** @example Summarise 100 documents */
            readonly scope: string;
            readonly terms: {
                readonly [key: string]: unknown;
            };
            readonly context: {
                readonly [key: string]: unknown;
            } | null;
            readonly state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            readonly protocol_mandate_hash: string;
            /** @example v0.1 */
            readonly protocol_version: string;
            readonly proposer_signature: string | null;
            readonly counterparty_signature: string | null;
            readonly signed_by_proposer_at: string | null;
            readonly signed_by_counterparty_at: string | null;
            readonly completed_at: string | null;
            readonly disputed_at: string | null;
            readonly dispute_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly expires_at: string;
            readonly drs_receipt_id: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly updated_at: string;
        };
        readonly MandateTransition: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly id: string;
            readonly from_state: ("proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired") | null;
            readonly to_state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            readonly mandate_hash: string;
            /** @example system */
            readonly triggered_by: string;
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly created_at: string;
            /** @description `none` for the first transition, which is not anchored. */
            readonly anchor_status: "none" | "pending" | "anchored" | "failed";
            readonly anchor_tx_hash: string | null;
            readonly anchor_block_number: number | null;
            readonly anchor_chain: string | null;
        };
        readonly Mandate: {
            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            readonly id: string;
            /** @example agent_alpha */
            readonly proposer_agent_id: string;
            /** @example agent_beta */
            readonly counterparty_agent_id: string;
            /** @example Summarise 100 documents */
            readonly scope: string;
            readonly terms: {
                readonly [key: string]: unknown;
            };
            readonly context: {
                readonly [key: string]: unknown;
            } | null;
            readonly state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            readonly protocol_mandate_hash: string;
            /** @example v0.1 */
            readonly protocol_version: string;
            readonly proposer_signature: string | null;
            readonly counterparty_signature: string | null;
            readonly signed_by_proposer_at: string | null;
            readonly signed_by_counterparty_at: string | null;
            readonly completed_at: string | null;
            readonly disputed_at: string | null;
            readonly dispute_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly expires_at: string;
            readonly drs_receipt_id: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly updated_at: string;
            /** @description Oldest first. */
            readonly transitions: readonly components["schemas"]["MandateTransition"][];
        };
        readonly PublicMandate: {
            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            readonly id: string;
            readonly state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            readonly mandate_hash: string;
            readonly anchor_tx_hash: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly created_at: string;
            readonly parties: readonly {
                readonly role: "proposer" | "counterparty";
                /** @example agent_alpha */
                readonly agent_id: string;
                readonly signed: boolean;
            }[];
        };
        readonly Budget: {
            /** @example agent-7 */
            readonly agentId: string;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            readonly currency: string;
            readonly period: "day" | "week" | "month" | "total";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly periodStart: string;
            readonly periodEnd: string | null;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly limit: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly spent: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly reserved: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly remaining: number;
            readonly perTransactionLimit: number | null;
            readonly active: boolean;
        };
        readonly BudgetAllowance: {
            /** @constant */
            readonly allowed: true;
            /** @example agent-7 */
            readonly agentId: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly requested: number;
            readonly limit: number | null;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly spent: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly reserved: number;
            readonly remaining: number | null;
            readonly currency: string | null;
            readonly periodEnd: string | null;
            readonly reservationId?: string | null;
            readonly expiresAt?: string | null;
        };
        readonly ClosedReservation: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            readonly reservationId: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly amount: number;
            readonly status: "committed" | "released";
            /** @example agent-7 */
            readonly agentId: string;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            readonly currency: string;
            readonly period: "day" | "week" | "month" | "total";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly periodStart: string;
            readonly periodEnd: string | null;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly limit: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly spent: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly reserved: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly remaining: number;
            readonly perTransactionLimit: number | null;
            readonly active: boolean;
        };
        readonly SettlementPending: {
            /** @constant */
            readonly success: false;
            /** @constant */
            readonly status: "settlement_pending";
            readonly network: "base" | "polygon" | "arbitrum" | "skale" | "solana" | "ethereum";
            readonly txHash: string | null;
            readonly message: string;
        };
        readonly PaymentRequired: {
            /** @constant */
            readonly x402Version: 2;
            readonly resource: {
                readonly url: string;
                readonly description: string;
                readonly mimeType: string;
            };
            readonly accepts: readonly {
                /** @constant */
                readonly scheme: "exact";
                /** @example eip155:8453 */
                readonly network: string;
                /**
                 * @description In base units of the asset.
                 * @example 10000
                 */
                readonly amount: string;
                readonly asset: string;
                readonly payTo: string;
                readonly maxTimeoutSeconds: number;
                readonly extra: {
                    readonly [key: string]: unknown;
                };
            }[];
            /**
             * @description In USDC.
             * @example 0.01
             */
            readonly price: string;
            readonly token: string;
            readonly recipient: string;
            readonly network: string;
            readonly error: {
                /** @constant */
                readonly code: "PAYMENT_REQUIRED";
                readonly message: string;
                /** @constant */
                readonly status: 402;
            };
        };
        readonly Tax: {
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            readonly subtotal: number;
            /**
             * @description In percent.
             * @example 19
             */
            readonly taxRate: number;
            /** @example 190 */
            readonly taxAmount: number;
            /** @example 1190 */
            readonly totalAmount: number;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            readonly currency: string;
            /** @example DE */
            readonly countryCode: string;
            /** @example Germany */
            readonly country: string;
            readonly rateType: "standard" | "reduced";
            readonly breakdown: readonly {
                /** @example Standard VAT DE (19%) */
                readonly description: string;
                /**
                 * @description In percent.
                 * @example 19
                 */
                readonly rate: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                readonly amount: number;
            }[];
        };
        readonly TaxRates: {
            /** @example DE */
            readonly countryCode: string;
            /** @example Germany */
            readonly country: string;
            /**
             * @description In percent.
             * @example 19
             */
            readonly standard: number;
            /**
             * @description In percent.
             * @example 7
             */
            readonly reduced: number;
        };
        readonly DashboardToken: {
            readonly token: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            readonly expiresAt: string;
        };
        readonly TaxSummary: {
            /** @example 1 */
            readonly invoiceCount: number;
            readonly currencies: readonly {
                /**
                 * @description An ISO 4217 code or USDC.
                 * @example USDC
                 */
                readonly currency: string;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                readonly subtotal: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                readonly tax: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                readonly totalWithTax: number;
                /** @example 1 */
                readonly invoiceCount: number;
                readonly byCountry: readonly {
                    readonly countryCode: string | null;
                    readonly country: string | null;
                    /**
                     * @description In percent.
                     * @example 19
                     */
                    readonly taxRate: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    readonly subtotal: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    readonly tax: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    readonly totalWithTax: number;
                    /** @example 1 */
                    readonly invoiceCount: number;
                }[];
            }[];
        };
        readonly Overview: {
            /** @constant */
            readonly currency: "USDC";
            readonly open: {
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                readonly amount: number;
                /** @example 1 */
                readonly invoiceCount: number;
            };
            readonly settledByDay: readonly {
                /** @example 2026-05-01 */
                readonly day: string;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                readonly amount: number;
                /** @example 1 */
                readonly invoiceCount: number;
            }[];
        };
    };
    responses: {
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `INVALID_AMOUNT`: The amount is not a positive number with the places its family takes. */
        readonly WrappedInvalidRequestOrInvalidAmount: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `UNAUTHORIZED`: No valid key, or no valid token. */
        readonly WrappedUnauthorized: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `FORBIDDEN`: The key lacks the permission. */
        readonly WrappedForbidden: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `IDEMPOTENCY_IN_PROGRESS`: The first request with this Idempotency-Key is still running. */
        readonly WrappedIdempotencyInProgress: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 1 MiB. */
        readonly WrappedPayloadTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not application/json. */
        readonly WrappedUnsupportedMediaType: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: This Idempotency-Key came with another body before. */
        readonly WrappedIdempotencyKeyReused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests; Retry-After says when to go on. */
        readonly WrappedRateLimited: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A part of the service does not answer at the moment. */
        readonly WrappedServiceUnavailable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INTERNAL_ERROR`: Something went wrong on our side; the request id helps us find out what. */
        readonly WrappedInternalError: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `NOT_FOUND`: There is no such thing in this account. */
        readonly WrappedNotFound: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. */
        readonly WrappedInvalidRequest: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `INVALID_AMOUNT`: The amount is not a positive number with the places its family takes. */
        readonly InvalidRequestOrInvalidAmount: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UNAUTHORIZED`: No valid key, or no valid token. */
        readonly Unauthorized: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `FORBIDDEN`: The key lacks the permission. */
        readonly Forbidden: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_IN_PROGRESS`: The first request with this Idempotency-Key is still running. */
        readonly IdempotencyInProgress: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 1 MiB. */
        readonly PayloadTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not application/json. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: This Idempotency-Key came with another body before. */
        readonly IdempotencyKeyReused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests; Retry-After says when to go on. */
        readonly RateLimited: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A part of the service does not answer at the moment. */
        readonly ServiceUnavailable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INTERNAL_ERROR`: Something went wrong on our side; the request id helps us find out what. */
        readonly InternalError: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `NOT_FOUND`: There is no such thing in this account. */
        readonly NotFound: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. */
        readonly InvalidRequest: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: The thing is in a state that does not allow this. */
        readonly InvalidState: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `NOT_THE_SENDER`: The payer did not send the transfer. `invalid_signature`: The signature does not fit what is to be signed. */
        readonly WrappedNotTheSenderOrInvalidSignature: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: The thing is in a state that does not allow this. `ALREADY_CREDITED`: The transfer has been credited to another invoice. `TRANSFER_MISMATCH`: The transfer does not pay the address of the invoice. `LIMIT_REACHED`: There are as many as there may be. */
        readonly WrappedInvalidStateOrAlreadyCreditedOrTransferMismatchOrLimitReached: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: The thing is in a state that does not allow this. `ALREADY_CREDITED`: The transfer has been credited to another invoice. `TRANSFER_MISMATCH`: The transfer does not pay the address of the invoice. */
        readonly InvalidStateOrAlreadyCreditedOrTransferMismatch: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: Too much to do at the moment. `SERVICE_UNAVAILABLE`: A part of the service does not answer at the moment. */
        readonly ServiceUnavailableOrServiceUnavailable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `LIMIT_REACHED`: There are as many as there may be. `IDEMPOTENCY_IN_PROGRESS`: The first request with this Idempotency-Key is still running. */
        readonly WrappedLimitReachedOrIdempotencyInProgress: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: The thing is in a state that does not allow this. */
        readonly WrappedInvalidState: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `LIMIT_REACHED`: There are as many as there may be. `IDEMPOTENCY_IN_PROGRESS`: The first request with this Idempotency-Key is still running. */
        readonly LimitReachedOrIdempotencyInProgress: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `missing_field`: A required field is missing. `invalid_field`: The body or one of its fields is malformed. */
        readonly WrappedInvalidRequestOrMissingFieldOrInvalidField: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `mandate_not_found`: There is no such mandate in this account. `NOT_FOUND`: There is no such thing in this account. */
        readonly WrappedMandateNotFoundOrNotFound: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `invalid_signer`: `signer` is neither `proposer` nor `counterparty`. `missing_signature`: There is no `signature`. */
        readonly WrappedInvalidRequestOrInvalidSignerOrMissingSignature: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `invalid_signature`: The signature does not fit what is to be signed. `FORBIDDEN`: The key lacks the permission. */
        readonly WrappedInvalidSignatureOrForbidden: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `invalid_transition`: The mandate is in a state that does not allow this, or has expired. */
        readonly WrappedInvalidTransition: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `missing_reason`: There is no `reason`, or nothing in it. */
        readonly WrappedInvalidRequestOrMissingReason: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
        readonly BudgetExceeded: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_IN_PROGRESS`: The first request with this Idempotency-Key is still running. `INVALID_STATE`: The thing is in a state that does not allow this. */
        readonly IdempotencyInProgressOrInvalidState: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UPSTREAM_FAILED`: The upstream cannot be reached, broke off, or does not keep to the protocol. */
        readonly UpstreamFailed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UPSTREAM_TIMEOUT`: The upstream did not answer in time. */
        readonly UpstreamTimeout: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PAYMENT_REUSED`: The payment has bought something else, or is being settled this moment. */
        readonly PaymentReused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Names the request in our logs; made here where it is missing. */
        readonly RequestId: string;
        /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
        readonly IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names the request in our logs; a valid one of yours is kept. */
        readonly "X-Request-Id": string;
        /** @description Requests allowed in the tighter of the two windows. */
        readonly "X-RateLimit-Limit": number;
        /** @description What is left of them. */
        readonly "X-RateLimit-Remaining": number;
        /** @description Unix time in seconds at which the window starts anew. */
        readonly "X-RateLimit-Reset": number;
        /** @description Seconds to wait. */
        readonly "Retry-After": number;
        /** @description How to prove who you are: `Bearer`. */
        readonly "WWW-Authenticate": string;
        /** @description `true` where this is the first answer once more. */
        readonly "Idempotent-Replayed": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getV1Invoices: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "PENDING" | "SETTLED" | "FAILED";
                /** @description ISO 8601; created after it. */
                readonly startDate?: string;
                /** @description ISO 8601; created before it. */
                readonly endDate?: string;
                readonly agentId?: string;
                /** @description An invoice’s number or id, the hash of a transaction that paid it, its reference, or else a part of its buyer’s name or e-mail address, which is looked for among the newest 10,000. */
                readonly search?: string;
                readonly limit?: number;
                readonly page?: number;
                /** @description The `nextCursor` of the page before; in place of `page`. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["DecimalInvoice"][];
                        /** @example 1 */
                        readonly total: number;
                        /** @example 1 */
                        readonly page: number;
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1Invoices: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 12.5,
                 *       "currency": "USDC",
                 *       "chain": "base",
                 *       "customerName": "Ada Example",
                 *       "customerEmail": "ada@example.com",
                 *       "taxCountry": "DE",
                 *       "serviceDescription": "Work in April"
                 *     }
                 */
                readonly "application/json": {
                    /** @description a decimal amount with at most 6 places, as a number or a string */
                    readonly amount: number | string;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency: string;
                    /** @description must be one of base, polygon, arbitrum, solana, skale */
                    readonly chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale";
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly taxCountry?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly country?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly agentId?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly mandateId?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly dueAt?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly payer?: string;
                    /** @description must be an object */
                    readonly metadata?: {
                        readonly [key: string]: unknown;
                    };
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly customerName: string;
                    /** @description must be an email address */
                    readonly customerEmail: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly buyerVat?: string;
                    /** @description must be a text of 1 to 500 characters without control characters */
                    readonly buyerAddress?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly sellerName?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly sellerVat?: string;
                    /** @description must be a text of 1 to 500 characters without control characters */
                    readonly sellerAddress?: string;
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly serviceDescription?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["DecimalInvoice"];
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 409: components["responses"]["WrappedIdempotencyInProgress"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 422: components["responses"]["WrappedIdempotencyKeyReused"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1InvoicesById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["DecimalInvoice"];
                    };
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getApiInvoices: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                /** @description ISO 8601; created after it. */
                readonly startDate?: string;
                /** @description ISO 8601; created before it. */
                readonly endDate?: string;
                readonly agentId?: string;
                /** @description An invoice’s number or id, the hash of a transaction that paid it, its reference, or else a part of its buyer’s name or e-mail address, which is looked for among the newest 10,000. */
                readonly search?: string;
                readonly limit?: number;
                readonly page?: number;
                /** @description The `nextCursor` of the page before; in place of `page`. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["InvoiceSummary"][];
                        /** @example 1 */
                        readonly total: number;
                        /** @example 1 */
                        readonly page: number;
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiInvoices: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "currency": "USD",
                 *       "chain": "base",
                 *       "taxCountry": "DE",
                 *       "description": "Work in April",
                 *       "buyer": {
                 *         "companyName": "Ada Example Ltd",
                 *         "email": "ada@example.com"
                 *       },
                 *       "seller": {
                 *         "name": "Grace Example GmbH",
                 *         "wallet": "0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies */
                    readonly amount: number;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency: string;
                    /** @description must be one of base, polygon, arbitrum, solana, skale */
                    readonly chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale";
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly taxCountry?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly country?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly agentId?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly mandateId?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly dueAt?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly payer?: string;
                    /** @description must be an object */
                    readonly metadata?: {
                        readonly [key: string]: unknown;
                    };
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly description?: string;
                    /** @description must be an object with companyName and email */
                    readonly buyer: {
                        /** @description must be a text of 1 to 256 characters without control characters */
                        readonly companyName: string;
                        /** @description must be an email address */
                        readonly email: string;
                        /** @description must be a text of 1 to 500 characters without control characters */
                        readonly address?: string;
                        /** @description must be a text of 1 to 64 characters without control characters */
                        readonly vat?: string;
                    };
                    /** @description must be an object with name and wallet */
                    readonly seller: {
                        /** @description must be a text of 1 to 256 characters without control characters */
                        readonly name: string;
                        /** @description must be a text of 1 to 64 characters without control characters */
                        readonly wallet: string;
                        /** @description must be a text of 1 to 500 characters without control characters */
                        readonly address?: string;
                        /** @description must be a text of 1 to 64 characters without control characters */
                        readonly vat?: string;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiInvoicesById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiInvoicesByIdSend: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiInvoicesByIdVoid: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiInvoicesByIdTimeline: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoiceTimeline"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiV1Invoices: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                /** @description ISO 8601; created after it. */
                readonly startDate?: string;
                /** @description ISO 8601; created before it. */
                readonly endDate?: string;
                readonly agentId?: string;
                /** @description An invoice’s number or id, the hash of a transaction that paid it, its reference, or else a part of its buyer’s name or e-mail address, which is looked for among the newest 10,000. */
                readonly search?: string;
                readonly limit?: number;
                readonly page?: number;
                /** @description The `nextCursor` of the page before; in place of `page`. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["InvoiceSummary"][];
                        /** @example 1 */
                        readonly total: number;
                        /** @example 1 */
                        readonly page: number;
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiV1Invoices: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "currency": "USD",
                 *       "chain": "base",
                 *       "taxCountry": "DE",
                 *       "customerName": "Ada Example Ltd",
                 *       "customerEmail": "ada@example.com",
                 *       "serviceDescription": "Work in April"
                 *     }
                 */
                readonly "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies */
                    readonly amount: number;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency: string;
                    /** @description must be one of base, polygon, arbitrum, solana, skale */
                    readonly chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale";
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly taxCountry?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly country?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly agentId?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly mandateId?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly dueAt?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly payer?: string;
                    /** @description must be an object */
                    readonly metadata?: {
                        readonly [key: string]: unknown;
                    };
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly customerName: string;
                    /** @description must be an email address */
                    readonly customerEmail: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly buyerVat?: string;
                    /** @description must be a text of 1 to 500 characters without control characters */
                    readonly buyerAddress?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly sellerName?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly sellerVat?: string;
                    /** @description must be a text of 1 to 500 characters without control characters */
                    readonly sellerAddress?: string;
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly serviceDescription?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiV1InvoicesById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Invoice"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postV1PublicInvoicesByIdClaim: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "txHash": "0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                 *       "signature": "0x1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b",
                 *       "payer": "0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 128 characters without control characters */
                    readonly txHash?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly signature?: string;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly payer?: string;
                    /** @description The same three members, as an object or base64 of its JSON. */
                    readonly x_payment?: unknown;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Claim"];
                    };
                };
            };
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Claim"];
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedNotTheSenderOrInvalidSignature"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 409: components["responses"]["WrappedInvalidStateOrAlreadyCreditedOrTransferMismatchOrLimitReached"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getApiTransfers: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "unmatched" | "ambiguous" | "matched";
                readonly chain?: "base" | "polygon" | "arbitrum" | "skale" | "solana" | "ethereum";
                readonly limit?: number;
                readonly page?: number;
                /** @description The `nextCursor` of the page before; in place of `page`. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Transfer"][];
                        /** @example 1 */
                        readonly total: number;
                        /** @example 1 */
                        readonly page: number;
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiTransfersByIdAssign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "invoiceId": "01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly invoiceId: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transfer"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidStateOrAlreadyCreditedOrTransferMismatch"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiInvoicesByIdPdf: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/pdf": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    readonly getApiInvoicesByIdXml: {
        readonly parameters: {
            readonly query?: {
                readonly format?: "ubl" | "cii";
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/xml": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getV1Webhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Webhook"][];
                        /** @example 1 */
                        readonly total: number;
                    };
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1Webhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "events": [
                 *         "invoice.settled"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a URL of 1 to 2048 characters */
                    readonly url: string;
                    /** @description must be a list of 1 to 20 event names */
                    readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description must be a text of 16 to 256 printable ASCII characters without spaces */
                    readonly secret?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            readonly id: string;
                            /** @example https://example.com/hooks */
                            readonly url: string;
                            readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                            readonly active: boolean;
                            readonly disabledReason: string | null;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly createdAt: string;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly updatedAt: string;
                            /** @example whsec_… */
                            readonly secret?: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 409: components["responses"]["WrappedLimitReachedOrIdempotencyInProgress"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 422: components["responses"]["WrappedIdempotencyKeyReused"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1WebhooksById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Webhook"];
                    };
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly deleteV1WebhooksById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; there is nothing to say. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly patchV1WebhooksById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "active": true
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a URL of 1 to 2048 characters */
                    readonly url?: string;
                    /** @description must be a list of 1 to 20 event names */
                    readonly events?: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description must be true or false */
                    readonly active?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Webhook"];
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1WebhooksByIdRotateSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            readonly id: string;
                            /** @example https://example.com/hooks */
                            readonly url: string;
                            readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                            readonly active: boolean;
                            readonly disabledReason: string | null;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly createdAt: string;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly updatedAt: string;
                            /** @example whsec_… */
                            readonly secret: string;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly previousSecretUntil: string;
                        };
                    };
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1WebhooksByIdTest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event": "invoice.settled"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be one of invoice.created, invoice.sent, invoice.paid, invoice.settled, invoice.completed, invoice.failed, settlement.confirmed, settlement.failed, mandate.proposed, mandate.signed_by_proposer, mandate.signed_by_both, mandate.completed, mandate.disputed */
                    readonly event: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Delivery"];
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 409: components["responses"]["WrappedInvalidState"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1WebhooksByIdDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                /** @description The `nextCursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Delivery"][];
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1DeliveriesByIdRedeliver: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Delivery"];
                    };
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 409: components["responses"]["WrappedInvalidState"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getApiWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Webhook"][];
                        /** @example 1 */
                        readonly total: number;
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "events": [
                 *         "invoice.settled"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a URL of 1 to 2048 characters */
                    readonly url: string;
                    /** @description must be a list of 1 to 20 event names */
                    readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description must be a text of 16 to 256 printable ASCII characters without spaces */
                    readonly secret?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        readonly id: string;
                        /** @example https://example.com/hooks */
                        readonly url: string;
                        readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                        readonly active: boolean;
                        readonly disabledReason: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly createdAt: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly updatedAt: string;
                        /** @example whsec_… */
                        readonly secret?: string;
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["LimitReachedOrIdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiWebhooksById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly deleteApiWebhooksById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; there is nothing to say. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly patchApiWebhooksById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "active": true
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a URL of 1 to 2048 characters */
                    readonly url?: string;
                    /** @description must be a list of 1 to 20 event names */
                    readonly events?: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description must be true or false */
                    readonly active?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiWebhooksByIdRotateSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        readonly id: string;
                        /** @example https://example.com/hooks */
                        readonly url: string;
                        readonly events: readonly ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                        readonly active: boolean;
                        readonly disabledReason: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly createdAt: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly updatedAt: string;
                        /** @example whsec_… */
                        readonly secret: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly previousSecretUntil: string;
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiWebhooksByIdTest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event": "invoice.settled"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be one of invoice.created, invoice.sent, invoice.paid, invoice.settled, invoice.completed, invoice.failed, settlement.confirmed, settlement.failed, mandate.proposed, mandate.signed_by_proposer, mandate.signed_by_both, mandate.completed, mandate.disputed */
                    readonly event: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidState"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiWebhooksByIdDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                /** @description The `nextCursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Delivery"][];
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiDeliveriesByIdRedeliver: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Key"][];
                        /** @example 1 */
                        readonly total: number;
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Billing agent",
                 *       "scopes": [
                 *         "invoices:read",
                 *         "invoices:write"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly name?: string;
                    /** @description must be a list of at least one of invoices:read, invoices:write, budgets:read, budgets:write, webhooks:read, webhooks:write, mandates:read, mandates:write, dashboard:read */
                    readonly scopes?: readonly ("invoices:read" | "invoices:write" | "budgets:read" | "budgets:write" | "webhooks:read" | "webhooks:write" | "mandates:read" | "mandates:write" | "dashboard:read")[];
                    /** @description must be an ISO 8601 date, or a time with its zone */
                    readonly expiresAt?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        readonly id: string;
                        /** @example Billing agent */
                        readonly name: string;
                        /**
                         * @description How the key starts and ends.
                         * @example inv_…1f3a
                         */
                        readonly hint: string;
                        readonly scopes: readonly ("invoices:read" | "invoices:write" | "budgets:read" | "budgets:write" | "webhooks:read" | "webhooks:write" | "mandates:read" | "mandates:write" | "dashboard:read" | "admin")[];
                        readonly expiresAt: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly createdAt: string;
                        readonly revokedAt: string | null;
                        readonly lastUsedAt: string | null;
                        /** @example inv_… */
                        readonly key?: string;
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["LimitReachedOrIdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly deleteApiKeysById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; there is nothing to say. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getV1ReceiptsById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Receipt"];
                    };
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1PublicReceiptsByIdBundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReceiptBundle"];
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 404: components["responses"]["WrappedNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1Mandates: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                readonly limit?: number;
                readonly page?: number;
                /** @description The `nextCursor` of the page before; in place of `page`. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["ListedMandate"][];
                        /** @example 1 */
                        readonly total: number;
                        /** @example 1 */
                        readonly page: number;
                        /** @example 10 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1Mandates: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "proposer": "agent_alpha",
                 *       "counterparty": "agent_beta",
                 *       "scope": "Summarise 100 documents",
                 *       "terms": {
                 *         "amount": 50,
                 *         "currency": "USDC",
                 *         "deliverable": "100 summaries"
                 *       },
                 *       "expiry": "2099-12-31T00:00:00Z"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly proposer: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly counterparty: string;
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly scope: string;
                    /** @description must be an object of at most 64 KiB */
                    readonly terms: {
                        readonly [key: string]: unknown;
                    };
                    /** @description must be an ISO 8601 timestamp with Z or an offset */
                    readonly expiry: string;
                    /** @description must be an object of at most 64 KiB */
                    readonly context?: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            readonly mandate_id: string;
                            readonly status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            /** @constant */
                            readonly proposer_signature_required: true;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequestOrMissingFieldOrInvalidField"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 409: components["responses"]["WrappedIdempotencyInProgress"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 422: components["responses"]["WrappedIdempotencyKeyReused"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1MandatesCanonicalize: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "id": "mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21",
                 *       "proposer_agent_id": "agent_alpha",
                 *       "counterparty_agent_id": "agent_beta",
                 *       "scope": "Summarise 100 documents",
                 *       "terms": {
                 *         "amount": 50,
                 *         "currency": "USDC",
                 *         "deliverable": "100 summaries"
                 *       },
                 *       "expires_at": "2099-12-31T00:00:00Z"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly id: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly proposer_agent_id: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly counterparty_agent_id: string;
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly scope: string;
                    /** @description must be an object of at most 64 KiB */
                    readonly terms: {
                        readonly [key: string]: unknown;
                    };
                    /** @description must be an ISO 8601 timestamp with Z or an offset */
                    readonly expires_at: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /** @description Its UTF-8 bytes are what is signed. */
                            readonly canonical: string;
                            /**
                             * @description 0x and the SHA-256 of the canonical bytes.
                             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
                             */
                            readonly hash: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1MandatesById: {
        readonly parameters: {
            readonly query?: {
                /** @description Answer once every transition so far is on chain, or after 30 seconds. */
                readonly wait?: "anchored";
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Mandate"];
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1MandatesByIdSign: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "signer": "proposer",
                 *       "signature": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {unknown} */
                    readonly signer?: "proposer" | "counterparty";
                    /** @description 64 hex digits: the HMAC-SHA256 */
                    readonly signature?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            readonly mandate_id: string;
                            readonly status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            readonly drs_receipt_id: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequestOrInvalidSignerOrMissingSignature"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedInvalidSignatureOrForbidden"];
            readonly 404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            readonly 409: components["responses"]["WrappedInvalidTransition"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1MandatesByIdComplete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "triggered_by": "agent_beta"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly triggered_by?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            readonly mandate_id: string;
                            readonly status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly completed_at: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequest"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            readonly 409: components["responses"]["WrappedInvalidTransition"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly postV1MandatesByIdDispute: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "triggered_by": "agent_alpha",
                 *       "reason": "Half of the summaries are missing"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly triggered_by?: string;
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly reason?: "" | string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            readonly mandate_id: string;
                            readonly status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            readonly disputed_at: string;
                            readonly reason: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["WrappedInvalidRequestOrMissingReason"];
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 403: components["responses"]["WrappedForbidden"];
            readonly 404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            readonly 409: components["responses"]["WrappedInvalidTransition"];
            readonly 413: components["responses"]["WrappedPayloadTooLarge"];
            readonly 415: components["responses"]["WrappedUnsupportedMediaType"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getV1PublicMandatesById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PublicMandate"];
                };
            };
            readonly 401: components["responses"]["WrappedUnauthorized"];
            readonly 404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            readonly 429: components["responses"]["WrappedRateLimited"];
            readonly 500: components["responses"]["WrappedInternalError"];
            readonly 503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    readonly getApiBudget: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                /** @description The `nextCursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Budget"][];
                        /** @example 20 */
                        readonly limit: number;
                        readonly hasMore: boolean;
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiBudgetByAgentId: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly agentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Budget"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly putApiBudgetByAgentId: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly agentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "limit": 50000,
                 *       "period": "month",
                 *       "currency": "USD",
                 *       "perTransactionLimit": 5000
                 *     }
                 */
                readonly "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies, 0 or more */
                    readonly limit?: number;
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies, 0 or more; null: no such limit */
                    readonly perTransactionLimit?: number | null;
                    /** @description must be one of day, week, month, total */
                    readonly period?: "day" | "week" | "month" | "total";
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency?: string;
                    /** @description must be true or false */
                    readonly active?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Budget"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiBudgetCheck: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request repeatable: same key and body, same answer, for 24 hours. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agentId": "agent-7",
                 *       "amount": 1250,
                 *       "currency": "USD",
                 *       "reserve": true
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly agentId: string;
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies, 1 or more */
                    readonly amount: number;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency?: string;
                    /** @description must be true or false */
                    readonly reserve?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["BudgetAllowance"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiBudgetReservationsByIdCommit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["ClosedReservation"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiBudgetReservationsByIdRelease: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["ClosedReservation"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["InvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiX402Proxy: {
        readonly parameters: {
            readonly query: {
                /** @description Absolute, percent-encoded. */
                readonly url: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly 504: components["responses"]["UpstreamTimeout"];
        };
    };
    readonly putApiX402Proxy: {
        readonly parameters: {
            readonly query: {
                /** @description Absolute, percent-encoded. */
                readonly url: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly 504: components["responses"]["UpstreamTimeout"];
        };
    };
    readonly postApiX402Proxy: {
        readonly parameters: {
            readonly query: {
                /** @description Absolute, percent-encoded. */
                readonly url: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly 504: components["responses"]["UpstreamTimeout"];
        };
    };
    readonly deleteApiX402Proxy: {
        readonly parameters: {
            readonly query: {
                /** @description Absolute, percent-encoded. */
                readonly url: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly 504: components["responses"]["UpstreamTimeout"];
        };
    };
    readonly optionsApiX402Proxy: {
        readonly parameters: {
            readonly query: {
                /** @description Absolute, percent-encoded. */
                readonly url: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly 504: components["responses"]["UpstreamTimeout"];
        };
    };
    readonly patchApiX402Proxy: {
        readonly parameters: {
            readonly query: {
                /** @description Absolute, percent-encoded. */
                readonly url: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["BudgetExceeded"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["IdempotencyInProgressOrInvalidState"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 502: components["responses"]["UpstreamFailed"];
            readonly 503: components["responses"]["ServiceUnavailable"];
            readonly 504: components["responses"]["UpstreamTimeout"];
        };
    };
    readonly postApiX402Invoice: {
        readonly parameters: {
            readonly query?: {
                /** @description The body of a 402 as x402 v1 has it; the header stays that of v2. */
                readonly x402Version?: "1";
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "recipient": "Ada Example",
                 *       "amount": 12.5,
                 *       "currency": "USDC"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly issuer?: string;
                    /** @description must be a text of 1 to 256 characters without control characters */
                    readonly recipient?: string;
                    /** @description must be an email address */
                    readonly email?: string;
                    /** @description 0.01 where it is left out */
                    readonly amount?: number;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency?: string;
                    /** @description must be a text of 1 to 4000 characters without control characters */
                    readonly description?: string;
                    /** @description must be a payment proof, in base64 or as JSON */
                    readonly x_payment?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        /** @constant */
                        readonly capability: "invoice";
                        /** @description As of `POST /v1/invoices`. */
                        readonly result: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            readonly id: string;
                        };
                    };
                };
            };
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SettlementPending"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            /** @description Done. */
            readonly 402: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentRequired"];
                };
            };
            readonly 409: components["responses"]["PaymentReused"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiX402Settle: {
        readonly parameters: {
            readonly query?: {
                /** @description The body of a 402 as x402 v1 has it; the header stays that of v2. */
                readonly x402Version?: "1";
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "invoice_id": "01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21"
                 *     }
                 */
                readonly "application/json": {
                    /** @description must be the id of an invoice */
                    readonly invoice_id: string;
                    /** @description must be a payment proof, in base64 or as JSON */
                    readonly x_payment?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        /** @constant */
                        readonly capability: "settle";
                        readonly result: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            readonly invoiceId: string;
                            readonly status: string;
                            readonly settled: boolean;
                            readonly txHash: string | null;
                        };
                    };
                };
            };
            /** @description Done. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SettlementPending"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            /** @description Done. */
            readonly 402: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentRequired"];
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["PaymentReused"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiTaxCalculate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "countryCode": "DE",
                 *       "currency": "EUR"
                 *     }
                 */
                readonly "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies */
                    readonly amount: number;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly countryCode: string;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency?: string;
                    /** @description must be one of standard, reduced */
                    readonly rateType?: "standard" | "reduced";
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Tax"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiV1TaxCalculate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "countryCode": "DE",
                 *       "currency": "EUR"
                 *     }
                 */
                readonly "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, hundredths of other currencies */
                    readonly amount: number;
                    /** @description must be a text of 1 to 64 characters without control characters */
                    readonly countryCode: string;
                    /** @description must be a text of 1 to 16 characters without control characters */
                    readonly currency?: string;
                    /** @description must be one of standard, reduced */
                    readonly rateType?: "standard" | "reduced";
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Tax"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrInvalidAmount"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiV1TaxRates: {
        readonly parameters: {
            readonly query?: {
                readonly country?: string;
            };
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["TaxRates"][] | components["schemas"]["TaxRates"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postApiV1AuthToken: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["DashboardToken"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiV1DashboardTaxSummary: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["TaxSummary"];
                    };
                    readonly "text/csv": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getApiV1DashboardOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Overview"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly postAgentToolsMcp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "ping"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly jsonrpc: "2.0";
                    readonly id?: string | number | null;
                    /** @example tools/list */
                    readonly method: string;
                    readonly params?: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly jsonrpc: "2.0";
                        readonly id: string | number | null;
                        readonly result?: {
                            readonly [key: string]: unknown;
                        };
                        readonly error?: {
                            readonly code: number;
                            readonly message: string;
                            readonly data?: unknown;
                        };
                    };
                };
            };
            /** @description Done; there is nothing to say. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly "getAgentToolsSectionsPricing.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly section_id: "pricing";
                        /** @example 1.0 */
                        readonly version: string;
                        /** @constant */
                        readonly model: "pay_per_call";
                        readonly tiers: readonly {
                            /** @example pro */
                            readonly name: string;
                            /** @example 600 */
                            readonly requests_per_minute: number;
                            /** @example 50000 */
                            readonly requests_per_day: number;
                            readonly note?: string;
                        }[];
                        readonly tools: readonly {
                            /** @example service_create_invoice */
                            readonly name: string;
                            /** @example 0.01 */
                            readonly price: string;
                            /** @constant */
                            readonly currency: "USDC";
                            readonly payment: "none" | "x402";
                        }[];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly "getAgentToolsSectionsTrust_signals.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Names the request in our logs; made here where it is missing. */
                readonly "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly section_id: "trust_signals";
                        /** @example 1.0 */
                        readonly version: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        readonly generated_at: string;
                        readonly metrics: {
                            /** @example 1204 */
                            readonly drs_receipts_issued: number;
                            /** @example 1204 */
                            readonly mandates_anchored: number;
                            /** @example 1204 */
                            readonly invoices_settled: number;
                        };
                        readonly partnerships: readonly unknown[];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
}
