// Made by `bun run client` from the OpenAPI document of the service.

/** The operations whose POST an `Idempotency-Key` makes repeatable. */
export const repeatable: ReadonlySet<string> = new Set([
  "/v1/invoices",
  "/api/invoices",
  "/api/v1/invoices",
  "/api/invoices/{id}/credit-notes",
  "/api/v1/invoices/{id}/credit-notes",
  "/v1/invoices/{id}/credit-notes",
  "/v1/webhooks",
  "/v1/webhooks/{id}/rotate-secret",
  "/v1/webhooks/{id}/test",
  "/api/webhooks",
  "/api/webhooks/{id}/rotate-secret",
  "/api/webhooks/{id}/test",
  "/api/keys",
  "/v1/mandates",
  "/api/budget/check"
])

export interface paths {
    "/v1/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description With `Accept: text/csv` the answer is a file of all matching invoices; `limit`, `page` and `cursor` are ignored. Those that settled in a `period` are listed in the order of settlement, the latest first. Its last column, `overpaidAmount`, is empty unless a settled invoice received more than was due. An apostrophe is put before what a spreadsheet could take for a formula. Needs the permission `invoices:read`.
         */
        get: operations["getV1Invoices"];
        put?: never;
        /**
         * Create an invoice
         * @description The answer says where to pay and how much. Needs the permission `invoices:write`.
         */
        post: operations["postV1Invoices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an invoice
         * @description Needs the permission `invoices:read`.
         */
        get: operations["getV1InvoicesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description With `Accept: text/csv` the answer is a file of all matching invoices; `limit`, `page` and `cursor` are ignored. Those that settled in a `period` are listed in the order of settlement, the latest first. Its last column, `overpaidAmount`, is empty unless a settled invoice received more than was due. An apostrophe is put before what a spreadsheet could take for a formula. Needs the permission `invoices:read`.
         */
        get: operations["getApiInvoices"];
        put?: never;
        /**
         * Create an invoice
         * @description The answer says where to pay and how much. Needs the permission `invoices:write`.
         */
        post: operations["postApiInvoices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an invoice
         * @description An invoice created in `/v1` may have fractions of the smallest unit: they are rounded. Needs the permission `invoices:read`.
         */
        get: operations["getApiInvoicesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark an invoice as sent
         * @description Repeating it gives the same answer. A paid or closed invoice is refused. Needs the permission `invoices:write`.
         */
        post: operations["postApiInvoicesByIdSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void an invoice
         * @description It fails and can no longer be paid. Repeating it gives the same answer. An invoice that has received money, even in part, is refused, and so is that of a purchase whose payment may still be taken. Needs the permission `invoices:write`.
         */
        post: operations["postApiInvoicesByIdVoid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what has happened to an invoice
         * @description Its transitions, oldest first (of very many, the last 200), and the USDC transfers that are credited to it now. Needs the permission `invoices:read`.
         */
        get: operations["getApiInvoicesByIdTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description With `Accept: text/csv` the answer is a file of all matching invoices; `limit`, `page` and `cursor` are ignored. Those that settled in a `period` are listed in the order of settlement, the latest first. Its last column, `overpaidAmount`, is empty unless a settled invoice received more than was due. An apostrophe is put before what a spreadsheet could take for a formula. Needs the permission `invoices:read`.
         */
        get: operations["getApiV1Invoices"];
        put?: never;
        /**
         * Create an invoice
         * @description In the flat form. The answer says where to pay and how much. Needs the permission `invoices:write`.
         */
        post: operations["postApiV1Invoices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an invoice
         * @description An invoice created in `/v1` may have fractions of the smallest unit: they are rounded. Needs the permission `invoices:read`.
         */
        get: operations["getApiV1InvoicesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}/credit-notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credit an invoice, in whole or in part
         * @description With `amount`, that much including tax, shared among the categories of tax; with `lines`, quantities of lines; with neither, all that is left. On an open invoice it lowers what is due, and settles it where what has come is then enough. What has been paid beyond that is to be refunded: `refunds` says to whom. For a purchase made through the proxy it records the credit note of its seller: `number` is required, `amount` is a part of the price. Needs the permission `invoices:write`.
         */
        post: operations["postApiInvoicesByIdCreditNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List credit notes, newest first
         * @description Needs the permission `invoices:read`.
         */
        get: operations["getApiCreditNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a credit note
         * @description Needs the permission `invoices:read`.
         */
        get: operations["getApiCreditNotesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove a refund by its transaction
         * @description One transfer of exactly the amount of a refund, to its `to`, from the address that the invoice was paid at or a registered wallet. A transfer proves one refund, once, ever; of two equal refunds, that of the older note. Until it is final: 202. Refunds that are sent after the note was issued are also found without this. Needs the permission `invoices:write`.
         */
        post: operations["postApiCreditNotesByIdRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes/{id}/refund-address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a refund sent to another address
         * @description For a payer whose money came from an exchange, up to ten times. No key is needed: the wallet that paid signs (EIP-191 on EVM chains, which contract wallets confirm, ed25519 on Solana) these seven lines, each ended by a line feed: `Quittance refund address v2`, `My refund is to be sent here:`, `Credit note: <id>`, `Chain: <chain>`, `Payer: <address>`, `Refund to: <address>`, `Sequence: <one more than the refund shows>`, with addresses in lower case on EVM chains. The last signed address counts, until the refund is paid. What was minted has no payer: with a key of the account that may write invoices, `refundTo` alone names where its refund is sent.
         */
        post: operations["postApiCreditNotesByIdRefundAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes/{id}/refund-wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a credit note from another wallet
         * @description The wallet signs or, for a purchase, the address that was paid, five lines, each ended by a line feed: `Quittance refund wallet v1`, `I refund this credit note from this wallet:`, `Credit note: <id>`, `Chain: <chain>`, `Wallet: <address>`. Needs the permission `invoices:write`.
         */
        post: operations["postApiCreditNotesByIdRefundWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invoices/{id}/credit-notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credit an invoice, in whole or in part
         * @description With `amount`, that much including tax, shared among the categories of tax; with `lines`, quantities of lines; with neither, all that is left. On an open invoice it lowers what is due, and settles it where what has come is then enough. What has been paid beyond that is to be refunded: `refunds` says to whom. For a purchase made through the proxy it records the credit note of its seller: `number` is required, `amount` is a part of the price. Needs the permission `invoices:write`.
         */
        post: operations["postApiV1InvoicesByIdCreditNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/credit-notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credit an invoice, in whole or in part
         * @description With `amount`, that much including tax, shared among the categories of tax; with `lines`, quantities of lines; with neither, all that is left. On an open invoice it lowers what is due, and settles it where what has come is then enough. What has been paid beyond that is to be refunded: `refunds` says to whom. For a purchase made through the proxy it records the credit note of its seller: `number` is required, `amount` is a part of the price. Needs the permission `invoices:write`.
         */
        post: operations["postV1InvoicesByIdCreditNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credit-notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List credit notes, newest first
         * @description Needs the permission `invoices:read`.
         */
        get: operations["getV1CreditNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credit-notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a credit note
         * @description Needs the permission `invoices:read`.
         */
        get: operations["getV1CreditNotesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/invoices/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a transfer for an invoice
         * @description For a payer whose transfer named no invoice. No key is needed: the sender of the transfer signs (EIP-191 on EVM chains, ed25519 on Solana) these five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, `Invoice: <id>`, `Chain: <chain>`, `Transaction: <hash, in lower case on EVM chains>`. Claimed transfers add up, but one of exactly the outstanding amount is credited alone; of those below a hundredth of the amount due, only a hundred of each size count. A transaction that the service has not seen yet is answered 202 and credited once it is seen. Repeating it gives the same answer. An invoice takes twenty claims of unseen transactions a day; further ones are 409 until the transaction is seen.
         */
        post: operations["postV1PublicInvoicesByIdClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transfers to our addresses, newest first
         * @description Of all accounts, which needs the permission `admin`; but with `status=held` and without it, the held transfers that fit what an open invoice of the account is due, or has asked for. `unmatched` or `held` transfers were credited to no invoice; `ambiguous` ones among them fit several. Transfers that a reorganisation took back are listed only without `status`: their `state` is `reverted`, and the rest is what was last known. A `total` above 100,000 is an estimate. Needs the permission `invoices:read`.
         */
        get: operations["getApiTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transfers/{id}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign a transfer to an invoice
         * @description For a transfer that no invoice was credited with. The invoice may belong to any account, must be open or expired, and must ask for payment at the address the transfer went to. Repeating it gives the same answer. Needs the permission `admin`.
         */
        post: operations["postApiTransfersByIdAssign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An invoice as a PDF
         * @description In any state; in the first language of `Accept-Language` that it speaks (en, de, fr, es, it, nl, pl, pt), else in that of `taxCountry`, else in English; with the same as EN 16931 XML inside (Factur-X). `X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, `seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); `exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: the tax is only recorded, and nobody has charged or paid it); `peppol_national_rules` (with `format=peppol`: the network has rules of the seller’s country that ask for more than this API knows). None of these refuses the document. Needs the permission `invoices:read`.
         */
        get: operations["getApiInvoicesByIdPdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{id}/xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An invoice as EN 16931 XML
         * @description UBL 2.1, UN/CEFACT CII D16B, or Peppol BIS Billing 3.0, which is UBL with what the network asks for: `buyerReference` (or the order number of a purchase), names and countries of both parties, and their VAT ids, from which the electronic addresses follow. Without one of these: 409, naming each. `X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, `seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); `exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: the tax is only recorded, and nobody has charged or paid it); `peppol_national_rules` (with `format=peppol`: the network has rules of the seller’s country that ask for more than this API knows). None of these refuses the document. Needs the permission `invoices:read`.
         */
        get: operations["getApiInvoicesByIdXml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes/{id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A credit note as a PDF
         * @description It names the invoice that it credits; in the first language of `Accept-Language` that it speaks (en, de, fr, es, it, nl, pl, pt), else in that of `taxCountry`, else in English; with the same as EN 16931 XML inside (Factur-X). `X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, `seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); `exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: the tax is only recorded, and nobody has charged or paid it); `peppol_national_rules` (with `format=peppol`: the network has rules of the seller’s country that ask for more than this API knows). None of these refuses the document. Needs the permission `invoices:read`.
         */
        get: operations["getApiCreditNotesByIdPdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credit-notes/{id}/xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A credit note as EN 16931 XML
         * @description Type 381, in UBL a `CreditNote`: UBL 2.1, UN/CEFACT CII D16B, or Peppol BIS Billing 3.0, which is UBL with what the network asks for: `buyerReference` (or the order number of a purchase), names and countries of both parties, and their VAT ids, from which the electronic addresses follow. Without one of these: 409, naming each. `X-Document-Warnings` lists what a tax office or an EN 16931 validator may reject: `seller_name_missing`, `seller_address_missing`, `seller_country_missing` (the country comes from the VAT id, or else from `taxCountry`, which does not apply to the seller of a purchase), `seller_vat_format`, and the same for the buyer; `seller_vat_missing`; `seller_id_missing` (neither a VAT id nor a wallet identifies the seller); `tax_currency_missing` (VAT is charged but not stated in the currency of its country); `exemption_reason_missing` (a seller with a VAT id charges no VAT, and the documents give no legal reason); `tax_not_charged` (for a purchase: the tax is only recorded, and nobody has charged or paid it); `peppol_national_rules` (with `format=peppol`: the network has rules of the seller’s country that ask for more than this API knows). None of these refuses the document. Needs the permission `invoices:read`.
         */
        get: operations["getApiCreditNotesByIdXml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the permission `webhooks:read`.
         */
        get: operations["getV1Webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Without `secret` one is generated and shown in this answer only, not when it is replayed for the same `Idempotency-Key`. With `active: false` nothing is delivered until it is activated. Needs the permission `webhooks:write`.
         */
        post: operations["postV1Webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the permission `webhooks:read`.
         */
        get: operations["getV1WebhooksById"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook
         * @description Its pending deliveries are cancelled. Needs the permission `webhooks:write`.
         */
        delete: operations["deleteV1WebhooksById"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Activating a webhook resumes its pending deliveries. Events that occurred while it was off are not delivered later: read the lists of invoices and mandates to catch up. Needs the permission `webhooks:write`.
         */
        patch: operations["patchV1WebhooksById"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the signing secret
         * @description Until `previousSecretUntil`, 24 hours later, deliveries carry signatures by both the new and the previous secret. Send an `Idempotency-Key`: if the answer is lost, the same request shows the same secret again. Needs the permission `webhooks:write`.
         */
        post: operations["postV1WebhooksByIdRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a sample event
         * @description Signed, retried and logged like any other event, about an invoice or mandate that does not exist. It has the header `X-Service-Test: true`, and its invoice number is 0, or `INV-<year>-0000`. The invoice has the form of this family of paths. Needs the permission `webhooks:write`.
         */
        post: operations["postV1WebhooksByIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description A page has at most about 1 MiB of attempts, and then fewer deliveries than `limit`: follow `nextCursor`. Needs the permission `webhooks:read`.
         */
        get: operations["getV1WebhooksByIdDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery, with what it sends
         * @description Needs the permission `webhooks:read`.
         */
        get: operations["getV1DeliveriesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver
         * @description The delivery is due at once, whatever its state, until the log of its attempts holds 128 KiB. One that succeeded before stays `delivered` even if this attempt fails. Needs the permission `webhooks:write`.
         */
        post: operations["postV1DeliveriesByIdRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the permission `webhooks:read`.
         */
        get: operations["getApiWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Without `secret` one is generated and shown in this answer only, not when it is replayed for the same `Idempotency-Key`. With `active: false` nothing is delivered until it is activated. Needs the permission `webhooks:write`.
         */
        post: operations["postApiWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the permission `webhooks:read`.
         */
        get: operations["getApiWebhooksById"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook
         * @description Its pending deliveries are cancelled. Needs the permission `webhooks:write`.
         */
        delete: operations["deleteApiWebhooksById"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Activating a webhook resumes its pending deliveries. Events that occurred while it was off are not delivered later: read the lists of invoices and mandates to catch up. Needs the permission `webhooks:write`.
         */
        patch: operations["patchApiWebhooksById"];
        trace?: never;
    };
    "/api/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the signing secret
         * @description Until `previousSecretUntil`, 24 hours later, deliveries carry signatures by both the new and the previous secret. Send an `Idempotency-Key`: if the answer is lost, the same request shows the same secret again. Needs the permission `webhooks:write`.
         */
        post: operations["postApiWebhooksByIdRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a sample event
         * @description Signed, retried and logged like any other event, about an invoice or mandate that does not exist. It has the header `X-Service-Test: true`, and its invoice number is 0, or `INV-<year>-0000`. The invoice has the form of this family of paths. Needs the permission `webhooks:write`.
         */
        post: operations["postApiWebhooksByIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description A page has at most about 1 MiB of attempts, and then fewer deliveries than `limit`: follow `nextCursor`. Needs the permission `webhooks:read`.
         */
        get: operations["getApiWebhooksByIdDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery, with what it sends
         * @description Needs the permission `webhooks:read`.
         */
        get: operations["getApiDeliveriesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver
         * @description The delivery is due at once, whatever its state, until the log of its attempts holds 128 KiB. One that succeeded before stays `delivered` even if this attempt fails. Needs the permission `webhooks:write`.
         */
        post: operations["postApiDeliveriesByIdRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Including revoked and expired ones. Needs the permission `dashboard:read`.
         */
        get: operations["getApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description `key` is shown in this answer only, not when it is replayed for the same `Idempotency-Key`. The key has the `scopes` of the list and those of `preset`, a named set that the list may contain too. Without either it has all permissions of the key in use except `admin`, which is never granted here; without `expiresAt` it lasts as long as the key in use. An account has at most 50 keys. Needs the permission `dashboard:read`.
         */
        post: operations["postApiKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Within 5 seconds the key is refused, and so are its sessions and tokens. A key can revoke itself, and any key that has no permission it lacks. Repeating it gives the same answer. Needs the permission `dashboard:read`.
         */
        delete: operations["deleteApiKeysById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the account is
         * @description As payers read it. All null where nothing was set. Needs the permission `invoices:read`.
         */
        get: operations["getApiAccountProfile"];
        /**
         * Change who the account is
         * @description What is left out stays; null clears it. Name, address, country and VAT id are the default of every new invoice’s seller, unless it is named otherwise, within 5 seconds in every process; an invoice keeps what it was created with. Payment pages and PDFs show the logo of now. The audit log has every change. Needs the permission `invoices:write`.
         */
        put: operations["putApiAccountProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receipts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a receipt
         * @description Needs the permission `invoices:read`.
         */
        get: operations["getV1ReceiptsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/receipts/{id}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proof of a receipt
         * @description Everything needed to check it against the chain alone. No key is needed.
         */
        get: operations["getV1PublicReceiptsByIdBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mandates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mandates, newest first
         * @description A page has at most about 1 MiB of mandates, and then fewer than `limit`: follow `nextCursor`. With `page`, such a page and those after it are refused as `INVALID_REQUEST`, because mandates would be skipped. Needs the permission `mandates:read`.
         */
        get: operations["getV1Mandates"];
        put?: never;
        /**
         * Propose a mandate
         * @description Terms and context are stored and returned exactly as they were sent. If `terms.amount` and `terms.currency` do not limit payments as they seem to, `warnings` says so: check it before the mandate is signed. Needs the permission `mandates:write`.
         */
        post: operations["postV1Mandates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mandates/canonicalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the bytes that both parties of a mandate sign
         * @description A helper for signers: nothing is stored, and no secret is involved. Needs the permission `mandates:read`.
         */
        post: operations["postV1MandatesCanonicalize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mandates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a mandate with its transitions
         * @description Needs the permission `mandates:read`.
         */
        get: operations["getV1MandatesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mandates/{id}/sign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a mandate
         * @description The signature is the HMAC-SHA256, in hex, of the canonical bytes under the signing secret of the account. The proposer signs first. Repeating an accepted signature changes nothing and returns the current state. Needs the permission `mandates:write`.
         */
        post: operations["postV1MandatesByIdSign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mandates/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a mandate
         * @description Needs the permission `mandates:write`.
         */
        post: operations["postV1MandatesByIdComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mandates/{id}/dispute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dispute a mandate that both parties have signed
         * @description Needs the permission `mandates:write`.
         */
        post: operations["postV1MandatesByIdDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/public/mandates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public state of a mandate
         * @description No key is needed, and nothing about the agreement is shown.
         */
        get: operations["getV1PublicMandatesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the budgets of all agents
         * @description Ordered by agent, each with what has been spent and reserved. Needs the permission `budgets:read`.
         */
        get: operations["getApiBudget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/budget/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent's budget
         * @description Needs the permission `budgets:read`.
         */
        get: operations["getApiBudgetByAgentId"];
        /**
         * Set an agent's budget
         * @description Changes what the body names and leaves the rest; a new budget needs a limit. To change the currency, send `limit` too, and `perTransactionLimit` if there is one: spending starts at zero again. Needs the permission `budgets:write`.
         */
        put: operations["putApiBudgetByAgentId"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/budget/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check whether an agent may spend an amount
         * @description With `reserve` (which needs the permission `budgets:write`) the amount is set aside for 60 seconds; concurrent reservations never exceed the limit together. An agent without a budget may spend anything; its limit is null. Needs the permission `budgets:read`.
         */
        post: operations["postApiBudgetCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/budget/reservations/{id}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Spend what a reservation set aside
         * @description Repeating it gives the same answer; after release or expiry it is refused. Needs the permission `budgets:write`.
         */
        post: operations["postApiBudgetReservationsByIdCommit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/budget/reservations/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give back what a reservation set aside
         * @description Repeating it gives the same answer; after a commit it is refused. Needs the permission `budgets:write`.
         */
        post: operations["postApiBudgetReservationsByIdRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/books": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the journal
         * @description The double-entry journal of a period, or of all time, in the order of time, with the members `date`, `entry`, `account`, `document`, `currency`, `debit`, `credit`: a JSON object a line or, with `Accept: text/csv`, a table. `date` is a UTC day, `debit` and `credit` are decimals, one of which is null (in the table empty). The rows of one `entry`, such as `sale:INV-2026-0001`, follow each other and balance in each currency. Accounts: `clearing`, `fees`, `purchases`, `sales`, `vat_payable`, `wallet`. A sale or purchase counts on the day of its settlement, in the currency of the document; a payment, and the fee on it, at the time of the block, in USDC. `clearing` is between the two. Needs the permission `invoices:read`.
         */
        get: operations["getApiBooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/x402/proxy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send a request on, and pay for it: GET
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. An `Idempotency-Key` names one purchase for 24 hours. With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends `failed` after 24 hours. Needs the permission `invoices:write`.
         */
        get: operations["getApiX402Proxy"];
        /**
         * Send a request on, and pay for it: PUT
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. An `Idempotency-Key` names one purchase for 24 hours. With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends `failed` after 24 hours. Needs the permission `invoices:write`.
         */
        put: operations["putApiX402Proxy"];
        /**
         * Send a request on, and pay for it: POST
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. An `Idempotency-Key` names one purchase for 24 hours. With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends `failed` after 24 hours. Needs the permission `invoices:write`.
         */
        post: operations["postApiX402Proxy"];
        /**
         * Send a request on, and pay for it: DELETE
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. An `Idempotency-Key` names one purchase for 24 hours. With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends `failed` after 24 hours. Needs the permission `invoices:write`.
         */
        delete: operations["deleteApiX402Proxy"];
        /**
         * Send a request on, and pay for it: OPTIONS
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. An `Idempotency-Key` names one purchase for 24 hours. With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends `failed` after 24 hours. Needs the permission `invoices:write`.
         */
        options: operations["optionsApiX402Proxy"];
        head?: never;
        /**
         * Send a request on, and pay for it: PATCH
         * @description Sends the request on to `url` and answers what comes back, byte for byte. Where that is a 402 of x402, an invoice is made of it: `X-Invoice-Id` names it, the body holds it as `invoice`, and the upstream’s own headers say how to pay. The same request with `PAYMENT-SIGNATURE` or `X-PAYMENT` is sent on within the budget of `X-Agent-Id`; what is bought comes with `X-Invoice-Id`, `X-Receipt-Id` once there is one, and a `Link` to the PDF, or with `Accept: multipart/mixed` with the PDF itself as a second part. `X-Invoice-Country`, `X-Invoice-Company-Name`, `-Company-VAT`, `-Company-Address`, `-Contact-Email` and `X-Invoice-PO-Number` go onto the invoice and its documents, and no further. A payment that is signed anew under the same id of x402’s `payment-identifier` is a retry: the first is sent again. An `Idempotency-Key` names one purchase for 24 hours. With `X-Mandate-Id` what is bought counts against that mandate: send it with the payment as well. An invoice that nobody pays ends `failed` after 24 hours. Needs the permission `invoices:write`.
         */
        patch: operations["patchApiX402Proxy"];
        trace?: never;
    };
    "/api/x402/invoice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create an invoice of the operator for 0.01 USDC
         * @description The invoice belongs to the account of the service itself: what is paid for it goes to the operator’s wallet, whoever `issuer` names, and never to who bought it. To be paid yourself you need an account, which the operator creates: see `POST /v1/invoices`. Without a payment the answer is 402, whatever is sent, with `PAYMENT-REQUIRED` for clients of x402 v2 and a body for those of v1; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or `x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. A payment is one that x402 clients sign, or `{txHash, signature, payer}` for a transfer of the price made within the last hour: there the payer signs (EIP-191 on EVM chains, ed25519 on Solana) five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, `Resource: <resource.url of the 402>`, `Chain: <its name, such as base>`, `Transaction: <hash, in lower case on EVM chains>`. While it is not known yet whether it was paid, as where no node has that transfer in a block, the answer is 202: send the same request again after `Retry-After`, and do not pay anew. A payment may have an id of yours, `extensions["payment-identifier"].info.id` (16 to 128 letters, digits, hyphens or underscores): whatever else you sign with the same wallet and id buys nothing more, and the same order gets the first answer.
         */
        get: operations["getApiX402Invoice"];
        put?: never;
        /**
         * Create an invoice of the operator for 0.01 USDC
         * @description The invoice belongs to the account of the service itself: what is paid for it goes to the operator’s wallet, whoever `issuer` names, and never to who bought it. To be paid yourself you need an account, which the operator creates: see `POST /v1/invoices`. Without a payment the answer is 402, whatever is sent, with `PAYMENT-REQUIRED` for clients of x402 v2 and a body for those of v1; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or `x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. A payment is one that x402 clients sign, or `{txHash, signature, payer}` for a transfer of the price made within the last hour: there the payer signs (EIP-191 on EVM chains, ed25519 on Solana) five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, `Resource: <resource.url of the 402>`, `Chain: <its name, such as base>`, `Transaction: <hash, in lower case on EVM chains>`. While it is not known yet whether it was paid, as where no node has that transfer in a block, the answer is 202: send the same request again after `Retry-After`, and do not pay anew. A payment may have an id of yours, `extensions["payment-identifier"].info.id` (16 to 128 letters, digits, hyphens or underscores): whatever else you sign with the same wallet and id buys nothing more, and the same order gets the first answer.
         */
        post: operations["postApiX402Invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/x402/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Learn whether an invoice is settled, for 0.005 USDC
         * @description Without a payment the answer is 402, whatever is sent, with `PAYMENT-REQUIRED` for clients of x402 v2 and a body for those of v1; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or `x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. A payment is one that x402 clients sign, or `{txHash, signature, payer}` for a transfer of the price made within the last hour: there the payer signs (EIP-191 on EVM chains, ed25519 on Solana) five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, `Resource: <resource.url of the 402>`, `Chain: <its name, such as base>`, `Transaction: <hash, in lower case on EVM chains>`. While it is not known yet whether it was paid, as where no node has that transfer in a block, the answer is 202: send the same request again after `Retry-After`, and do not pay anew. A payment may have an id of yours, `extensions["payment-identifier"].info.id` (16 to 128 letters, digits, hyphens or underscores): whatever else you sign with the same wallet and id buys nothing more, and the same order gets the first answer.
         */
        get: operations["getApiX402Settle"];
        put?: never;
        /**
         * Learn whether an invoice is settled, for 0.005 USDC
         * @description Without a payment the answer is 402, whatever is sent, with `PAYMENT-REQUIRED` for clients of x402 v2 and a body for those of v1; send the same request again with `PAYMENT-SIGNATURE`, `X-PAYMENT` or `x_payment`. A payment buys one thing once, and the same request with the same payment gets the first answer again. A payment is one that x402 clients sign, or `{txHash, signature, payer}` for a transfer of the price made within the last hour: there the payer signs (EIP-191 on EVM chains, ed25519 on Solana) five lines, each ended by a line feed: `Quittance payment statement v1`, `I made this transfer, and it pays:`, `Resource: <resource.url of the 402>`, `Chain: <its name, such as base>`, `Transaction: <hash, in lower case on EVM chains>`. While it is not known yet whether it was paid, as where no node has that transfer in a block, the answer is 202: send the same request again after `Retry-After`, and do not pay anew. A payment may have an id of yours, `extensions["payment-identifier"].info.id` (16 to 128 letters, digits, hyphens or underscores): whatever else you sign with the same wallet and id buys nothing more, and the same order gets the first answer.
         */
        post: operations["postApiX402Settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tax/calculate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calculate the tax on an amount
         * @description Adds the VAT of a country, at the rates of today (UTC), to an amount, rounding half a minor unit up. Default currency: USD.
         */
        post: operations["postApiTaxCalculate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tax/calculate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calculate the tax on an amount
         * @description Adds the VAT of a country, at the rates of today (UTC), to an amount, rounding half a minor unit up. Default currency: USD.
         */
        post: operations["postApiV1TaxCalculate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tax/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tax rates
         * @description Of all countries, or of one country as a single object: the rates of today, or the first of a country whose first are to come. An invoice is taxed at the rate of the day (UTC) on which it is created.
         */
        get: operations["getApiV1TaxRates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a token for the dashboard
         * @description Valid for 60 minutes, but no longer than the key that requested it. Needs the permission `dashboard:read`.
         */
        post: operations["postApiV1AuthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dashboard/tax-summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up the tax of settled invoices
         * @description By currency, country, rate and category, over all settled and completed invoices of the account, or those of a period: invoices by settlement, credit notes by issue. Each document is rounded to the smallest unit before it is added. An invoice at several rates counts at each, and once in its currency. What the account bought through the proxy is separate, in `purchases`. Currencies are never added together. With `Accept: text/csv` the answer is a table whose `kind` is `sale`, `credit`, `purchase` or `purchase_credit`. Needs the permission `dashboard:read`.
         */
        get: operations["getApiV1DashboardTaxSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dashboard/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the totals of the account
         * @description What is outstanding on open invoices, what is due on invoices whose payment is seen but not yet final, and what was due on the invoices that settled on each of the last 30 days (UTC), or of a period of at most 366 days, oldest first. All in millionths of a USDC, whatever the currency of the invoices. Overpayments are not counted (see `payout.gross` of receipts), nor is what the account buys through the proxy. Needs the permission `dashboard:read`.
         */
        get: operations["getApiV1DashboardOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-tools/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the tool server
         * @description Model Context Protocol over JSON-RPC 2.0: stateless, always answered as JSON. One message or a batch of at most 20, each of which counts for the rate limit. `Host` and `Origin` must be ours. A request with notifications only is answered with 202.
         */
        post: operations["postAgentToolsMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-tools/sections/pricing.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what calls cost */
        get: operations["getAgentToolsSectionsPricing.json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-tools/sections/trust_signals.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the service has done so far
         * @description Totals over all accounts, counted once a night. Receipts and mandates are those on chain: `quittance trust verify` counts them there.
         */
        get: operations["getAgentToolsSectionsTrust_signals.json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "invoice.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An invoice was created */
        post: operations["onInvoiceCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An invoice was sent, or returned in a 402 of the proxy */
        post: operations["onInvoiceSent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What is due was seen on chain, not final yet */
        post: operations["onInvoicePaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The payment is final */
        post: operations["onInvoiceSettled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The receipt of an invoice is on chain */
        post: operations["onInvoiceCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An invoice was voided or credited whole, or its due date has passed */
        post: operations["onInvoiceFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "settlement.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sent together with `invoice.settled` */
        post: operations["onSettlementConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "settlement.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A reorganisation took a settlement back: the invoice is open again, and its receipt revoked */
        post: operations["onSettlementFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "credit_note.issued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An invoice was credited */
        post: operations["onCreditNoteIssued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A refund of a credit note is final on chain */
        post: operations["onRefundConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A reorganisation took a refund back: it is owed again, and its counter-receipt revoked */
        post: operations["onRefundFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "mandate.proposed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mandate was proposed */
        post: operations["onMandateProposed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "mandate.signed_by_proposer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The proposer has signed */
        post: operations["onMandateSignedByProposer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "mandate.signed_by_both": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Both parties have signed */
        post: operations["onMandateSignedByBoth"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "mandate.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mandate was completed */
        post: operations["onMandateCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "mandate.disputed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A mandate was disputed */
        post: operations["onMandateDisputed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        PaymentDetails: {
            chain: "base" | "polygon" | "arbitrum" | "solana" | "skale" | "ethereum";
            /**
             * @description Where to send USDC.
             * @example 0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345
             */
            paymentAddress: string;
            /** @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 */
            usdcAddress: string;
            /**
             * @description The amount that must arrive, in USDC.
             * @example 14.875
             */
            amountDue: string;
            /** @example 0.00 */
            amountReceived: string;
            /**
             * @description Sent with a transfer, it identifies the invoice that the transfer pays.
             * @example 0x3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d
             */
            reference: string;
            /**
             * @description For wallets: EIP-681, or Solana Pay.
             * @example ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x8f3c…
             */
            paymentUri: string;
            fx: {
                /** @example 1.08 */
                rate: string;
                /** @example ECB */
                source: string;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                asOf: string;
                /** @description The rate was more than 7 days old at creation. */
                stale: boolean;
            } | null;
            /** @description Whether the chain has been read in the last 5 minutes, so that a payment would be seen. In answers, of invoices that take payments; not in webhooks. */
            accepting?: boolean;
            /** @description Transfers of what is due or asked that were credited to no invoice, as they may be meant for another: `ambiguous` where several fit. Their sender claims them by `POST /v1/public/invoices/{id}/claim`, or an operator assigns them. In answers to a read of one invoice, while there are any. */
            held?: {
                /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                txHash: string;
                /** @example 14.875 */
                amount: string;
                from: string | null;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                blockTime: string;
                why: "ambiguous" | "unmatched";
            }[];
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            txHash?: string;
            /** @example 24105337 */
            settlementBlockNumber?: number;
            settlementSource?: "evm-detector" | "solana-detector";
            from?: string | null;
            /** @example 5 */
            confirmations?: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            settledAt?: string;
            matchedBy?: "reference" | "address" | "claim" | "asked" | "payer" | "amount" | "operator";
            /** @example 14.875 */
            overpaidAmount?: string;
            /**
             * @description The amount due was completed by a block after `dueAt`.
             * @constant
             */
            late?: true;
        };
        DecimalInvoice: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /**
             * @description Gapless per account and year.
             * @example 1
             */
            invoiceNumber: number;
            status: "PENDING" | "SETTLED" | "FAILED";
            /**
             * @description As it was sent.
             * @example 12.5
             */
            amount: number | string;
            /**
             * @description In units of the currency.
             * @example 14.875
             */
            subtotal: number;
            /**
             * @description In units of the currency.
             * @example 14.875
             */
            taxAmount: number;
            /**
             * @description In units of the currency.
             * @example 14.875
             */
            total: number;
            /**
             * @description What credit notes have taken back of the total. Absent without any.
             * @example 14.875
             */
            amountCredited?: number;
            /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
            kind: "sale" | "purchase";
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            /** @description In percent. Null where the lines have several rates. */
            taxRate: number | null;
            taxCountry: string | null;
            description: string | null;
            /** @description Only of an invoice that was created with lines, and not in lists. */
            lines?: {
                /** @example Translation */
                description: string;
                /** @example 2.5 */
                quantity: string;
                /** @example HUR */
                unit: string;
                /**
                 * @description A decimal: of the currency on `/v1`, else of its smallest unit.
                 * @example 80
                 */
                unitPrice: string;
                /**
                 * @description In units of the currency.
                 * @example 14.875
                 */
                net: number;
                taxCategory: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                /**
                 * @description In percent.
                 * @example 19
                 */
                taxRate: number;
                taxExemptionReason: string | null;
            }[];
            /** @description Only of an invoice that was created with lines, and not in lists. The tax of each category and rate. */
            taxBreakdown?: {
                category: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                /**
                 * @description In percent.
                 * @example 19
                 */
                rate: number;
                /**
                 * @description In units of the currency.
                 * @example 14.875
                 */
                base: number;
                /**
                 * @description In units of the currency.
                 * @example 14.875
                 */
                tax: number;
            }[];
            buyer: {
                companyName: string | null;
                email: string | null;
                address: string | null;
                /**
                 * @description Absent where nothing says it.
                 * @example DE
                 */
                country?: string;
                vat: string | null;
            };
            seller: {
                name: string | null;
                wallet: string | null;
                address: string | null;
                /**
                 * @description Absent where nothing says it.
                 * @example DE
                 */
                country?: string;
                vat: string | null;
            };
            paymentDetails: components["schemas"]["PaymentDetails"];
            /** @example PO-7 */
            buyerReference?: string;
            agentId: string | null;
            mandateId: string | null;
            payer: string | null;
            dueAt: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            receiptId: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updatedAt: string;
        };
        WrappedError: {
            /** @constant */
            success: false;
            error: {
                /** @description Stable, for programs. */
                code: string;
                /** @description A sentence for people. */
                message: string;
                /** @description The HTTP status. */
                status: number;
                /** @description The fields at fault, or the numbers behind a refusal. */
                details?: {
                    path: string;
                    message: string;
                }[] | {
                    [key: string]: unknown;
                };
            };
        };
        Invoice: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /**
             * @description Gapless per account and year, purchases in a series of their own.
             * @example INV-2026-0001
             * @example PUR-2026-0001
             */
            invoiceNumber: string;
            status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
            /** @description The `status`, more precisely: `partly_paid` is a draft or sent invoice that has received part of the amount, `expired`, `void` or `credited` (whole, with nothing received) a failed one. */
            statusDetail: "draft" | "sent" | "partly_paid" | "paid" | "settled" | "completed" | "expired" | "void" | "credited";
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            amount: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            subtotal: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 190
             */
            taxAmount: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 190
             */
            tax: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1190
             */
            total: number;
            /**
             * @description What credit notes have taken back of the total. Absent without any.
             * @example 1190
             */
            amountCredited?: number;
            /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
            kind: "sale" | "purchase";
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            /** @description In percent. Null where the lines have several rates. */
            taxRate: number | null;
            taxCountry: string | null;
            description: string | null;
            /** @description Only of an invoice that was created with lines, and not in lists. */
            lines?: {
                /** @example Translation */
                description: string;
                /** @example 2.5 */
                quantity: string;
                /** @example HUR */
                unit: string;
                /**
                 * @description A decimal: of the currency on `/v1`, else of its smallest unit.
                 * @example 80
                 */
                unitPrice: string;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                net: number;
                taxCategory: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                /**
                 * @description In percent.
                 * @example 19
                 */
                taxRate: number;
                taxExemptionReason: string | null;
            }[];
            /** @description Only of an invoice that was created with lines, and not in lists. The tax of each category and rate. */
            taxBreakdown?: {
                category: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                /**
                 * @description In percent.
                 * @example 19
                 */
                rate: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                base: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                tax: number;
            }[];
            buyer: {
                companyName: string | null;
                email: string | null;
                address: string | null;
                /**
                 * @description Absent where nothing says it.
                 * @example DE
                 */
                country?: string;
                vat: string | null;
            };
            seller: {
                name: string | null;
                wallet: string | null;
                address: string | null;
                /**
                 * @description Absent where nothing says it.
                 * @example DE
                 */
                country?: string;
                vat: string | null;
            };
            paymentDetails: components["schemas"]["PaymentDetails"];
            /** @example PO-7 */
            buyerReference?: string;
            agentId: string | null;
            mandateId: string | null;
            payer: string | null;
            dueAt: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            receiptId: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updatedAt: string;
        };
        Error: {
            error: {
                /** @description Stable, for programs. */
                code: string;
                /** @description A sentence for people. */
                message: string;
                /** @description The HTTP status. */
                status: number;
                /** @description The fields at fault, or the numbers behind a refusal. */
                details?: {
                    path: string;
                    message: string;
                }[] | {
                    [key: string]: unknown;
                };
            };
        };
        InvoiceSummary: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /**
             * @description Gapless per account and year, purchases in a series of their own.
             * @example INV-2026-0001
             * @example PUR-2026-0001
             */
            invoiceNumber: string;
            status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
            /** @description The `status`, more precisely: `partly_paid` is a draft or sent invoice that has received part of the amount, `expired`, `void` or `credited` (whole, with nothing received) a failed one. */
            statusDetail: "draft" | "sent" | "partly_paid" | "paid" | "settled" | "completed" | "expired" | "void" | "credited";
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            amount: number;
            /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
            kind: "sale" | "purchase";
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1190
             */
            total: number;
            /**
             * @description What credit notes have taken back of the total. Absent without any.
             * @example 1190
             */
            amountCredited?: number;
            buyer: {
                companyName: string | null;
                email: string | null;
            };
            /** @description The buyer, with the wallet that is expected to pay; of a purchase the seller: the host it was bought from, and its `payTo`. */
            counterparty: {
                name: string | null;
                wallet: string | null;
            };
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
        };
        InvoiceTimeline: {
            data: {
                /** @example 1 */
                sequence: number;
                /**
                 * @description An event type of webhooks, or `payment.credited`, `payment.confirmed`, `payment.reverted`, `invoice.credited`.
                 * @example invoice.created
                 */
                type: string;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                createdAt: string;
                txHash: string | null;
                reason: string | null;
                /** @example CN-2026-0001 */
                creditNote?: string;
            }[];
            transfers: {
                /** @example 14.875 */
                amount: string;
                /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                txHash: string;
                /** @example 24105337 */
                blockNumber: number;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                blockTime?: string;
                from: string | null;
                matchedBy: "reference" | "address" | "claim" | "asked" | "payer" | "amount" | "operator";
                confirmed: boolean;
            }[];
        };
        Refund: {
            payer: string | null;
            to: string | null;
            chain: "base" | "polygon" | "arbitrum" | "solana" | "skale" | "ethereum";
            /**
             * @description Exactly this much, in USDC.
             * @example 11.90
             */
            amount: string;
            /** @description `withheld` while the payment that it gives back has been taken back by a reorganisation. */
            status: "open" | "refunded" | "withheld";
            /**
             * @description How many statements of its payer have named an address.
             * @example 0
             */
            sequence: number;
            paymentUri: string | null;
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            txHash?: string;
            receiptId?: string | null;
        };
        CreditNote: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /**
             * @description Gapless per account and year; of a purchase, the number that its seller has given.
             * @example CN-2026-0001
             */
            creditNoteNumber: string;
            /** @description `refunded` once every refund is proven. */
            status: "issued" | "refunded";
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            invoiceId: string;
            /** @example INV-2026-0001 */
            invoiceNumber: string;
            /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
            kind: "sale" | "purchase";
            reason: string | null;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            subtotal: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            taxAmount: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            total: number;
            /**
             * @description What it takes off the amount due, in USDC; `refunds` are the part that was paid.
             * @example 11.90
             */
            amountUsdc: string;
            lines?: {
                /**
                 * @description Of the invoice, from 1.
                 * @example 1
                 */
                line: number;
                /** @example 1 */
                quantity: string;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                net: number;
            }[];
            taxBreakdown: {
                category: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                /**
                 * @description In percent.
                 * @example 19
                 */
                rate: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                base: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                tax: number;
            }[];
            refunds: components["schemas"]["Refund"][];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updatedAt: string;
        };
        ProvenRefund: {
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            txHash: string;
            /** @description `pending` until the transfer is final. */
            status: "refunded" | "pending";
            creditNote: components["schemas"]["CreditNote"];
        };
        DecimalCreditNote: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /**
             * @description Gapless per account and year; of a purchase, the number that its seller has given.
             * @example CN-2026-0001
             */
            creditNoteNumber: string;
            /** @description `refunded` once every refund is proven. */
            status: "issued" | "refunded";
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            invoiceId: string;
            /** @example 1 */
            invoiceNumber: number;
            /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
            kind: "sale" | "purchase";
            reason: string | null;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            /**
             * @description In units of the currency.
             * @example 11.9
             */
            subtotal: number;
            /**
             * @description In units of the currency.
             * @example 11.9
             */
            taxAmount: number;
            /**
             * @description In units of the currency.
             * @example 11.9
             */
            total: number;
            /**
             * @description What it takes off the amount due, in USDC; `refunds` are the part that was paid.
             * @example 11.90
             */
            amountUsdc: string;
            lines?: {
                /**
                 * @description Of the invoice, from 1.
                 * @example 1
                 */
                line: number;
                /** @example 1 */
                quantity: string;
                /**
                 * @description In units of the currency.
                 * @example 11.9
                 */
                net: number;
            }[];
            taxBreakdown: {
                category: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                /**
                 * @description In percent.
                 * @example 19
                 */
                rate: number;
                /**
                 * @description In units of the currency.
                 * @example 11.9
                 */
                base: number;
                /**
                 * @description In units of the currency.
                 * @example 11.9
                 */
                tax: number;
            }[];
            refunds: components["schemas"]["Refund"][];
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updatedAt: string;
        };
        Claim: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            invoiceId: string;
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            txHash: string;
            status: "credited" | "pending";
            invoiceStatus: "PENDING" | "SETTLED" | "FAILED";
            /** @example 14.875 */
            amountDue: string;
            /** @example 14.875 */
            amountReceived: string;
        };
        Transfer: {
            /** @example base:0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e:7 */
            id: string;
            chain: "base" | "polygon" | "arbitrum" | "solana" | "skale" | "ethereum";
            /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
            txHash: string;
            /**
             * @description Log index, or instruction index.
             * @example 7
             */
            position: number;
            /** @example 24105337 */
            blockNumber: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            blockTime: string;
            from: string | null;
            /** @example 0x00000000000000000000000000000000000000aa */
            to: string;
            /** @example 14.875 */
            amount: string;
            status: "unmatched" | "ambiguous" | "matched";
            state: "seen" | "confirmed" | "reverted";
            invoiceId: string | null;
            matchedBy: ("reference" | "address" | "claim" | "asked" | "payer" | "amount" | "operator") | null;
            assignedBy: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
        };
        Webhook: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /** @example https://example.com/hooks */
            url: string;
            events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
            active: boolean;
            disabledReason: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updatedAt: string;
        };
        Delivery: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            webhookId: string;
            /** @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f */
            eventId: string;
            type: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
            state: "pending" | "delivered" | "failed" | "cancelled";
            isTest: boolean;
            attempts: {
                /** @example 1 */
                attempt: number;
                /**
                 * Format: date-time
                 * @example 2026-05-01T12:00:00.000Z
                 */
                startedAt: string;
                /** @example 41 */
                durationMs: number;
                statusCode: number | null;
                error: string | null;
                responseExcerpt: string | null;
            }[];
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
        };
        Key: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            /** @example Billing agent */
            name: string;
            /**
             * @description How the key starts and ends.
             * @example inv_…1f3a
             */
            hint: string;
            scopes: ("invoices:read" | "invoices:write" | "budgets:read" | "budgets:write" | "webhooks:read" | "webhooks:write" | "mandates:read" | "mandates:write" | "dashboard:read" | "admin")[];
            expiresAt: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            createdAt: string;
            revokedAt: string | null;
            lastUsedAt: string | null;
        };
        Profile: {
            name: string | null;
            address: string | null;
            country: string | null;
            vat: string | null;
            email: string | null;
            website: string | null;
            logo: string | null;
        };
        /** @description The event of the batch on chain, and the root that it names. */
        Anchor: {
            /** @example 84532 */
            chainId: number;
            /** @example 0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0 */
            contract: string;
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            txHash: string;
            blockNumber: number;
            logIndex: number;
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            root: string;
        };
        Receipt: {
            /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            receiptId: string;
            kind: "settlement" | "purchase" | "agreement" | "refund" | "books";
            invoiceId: string | null;
            status: "pending" | "anchored" | "revoked";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            issuedAt: string;
            revokedAt: string | null;
            /**
             * @description Everything that the receipt states, by name. Amounts are decimal strings.
             * @example {
             *       "kind": "settlement",
             *       "currency": "EUR",
             *       "total": "14.88",
             *       "gross": "16.20"
             *     }
             */
            claims: {
                [key: string]: unknown;
            };
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            hash: string;
            anchor: components["schemas"]["Anchor"] | null;
        };
        /** @description What its members mean is in docs/receipts.md. */
        ReceiptBundle: {
            /** @constant */
            version: 2;
            /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            receiptId?: string;
            /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
            hash: string;
            claims: ({
                /** @example 0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a */
                salt: string;
                /** @example total */
                name: string;
                value: unknown;
            } | {
                /** @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7 */
                hash: string;
            })[];
            index?: number;
            size?: number;
            path?: string[];
            anchor: components["schemas"]["Anchor"] | null;
        };
        ListedMandate: {
            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            id: string;
            /** @example agent_alpha */
            proposer_agent_id: string;
            /** @example agent_beta */
            counterparty_agent_id: string;
            /** @example Summarise 100 documents */
            scope: string;
            terms: {
                [key: string]: unknown;
            };
            context: {
                [key: string]: unknown;
            } | null;
            state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            protocol_mandate_hash: string;
            /** @example v0.1 */
            protocol_version: string;
            proposer_signature: string | null;
            counterparty_signature: string | null;
            signed_by_proposer_at: string | null;
            signed_by_counterparty_at: string | null;
            completed_at: string | null;
            disputed_at: string | null;
            dispute_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            expires_at: string;
            drs_receipt_id: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updated_at: string;
        };
        MandateTransition: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            id: string;
            from_state: ("proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired") | null;
            to_state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            mandate_hash: string;
            /** @example system */
            triggered_by: string;
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /** @description `none` for the first transition, which is not anchored. `failed` is reserved: an anchor is sent until it is mined. */
            anchor_status: "none" | "pending" | "anchored" | "failed";
            anchor_tx_hash: string | null;
            anchor_block_number: number | null;
            anchor_chain: string | null;
        };
        Mandate: {
            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            id: string;
            /** @example agent_alpha */
            proposer_agent_id: string;
            /** @example agent_beta */
            counterparty_agent_id: string;
            /** @example Summarise 100 documents */
            scope: string;
            terms: {
                [key: string]: unknown;
            };
            context: {
                [key: string]: unknown;
            } | null;
            state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            protocol_mandate_hash: string;
            /** @example v0.1 */
            protocol_version: string;
            proposer_signature: string | null;
            counterparty_signature: string | null;
            signed_by_proposer_at: string | null;
            signed_by_counterparty_at: string | null;
            completed_at: string | null;
            disputed_at: string | null;
            dispute_reason: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            expires_at: string;
            drs_receipt_id: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            updated_at: string;
            /** @description Oldest first. */
            transitions: components["schemas"]["MandateTransition"][];
        };
        PublicMandate: {
            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
            id: string;
            state: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
            /**
             * @description 0x and the SHA-256 of the canonical bytes.
             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
             */
            mandate_hash: string;
            anchor_tx_hash: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            parties: {
                role: "proposer" | "counterparty";
                /** @example agent_alpha */
                agent_id: string;
                name: string;
                signed: boolean;
            }[];
        };
        Budget: {
            /** @example agent-7 */
            agentId: string;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            period: "day" | "week" | "month" | "total";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            periodStart: string;
            periodEnd: string | null;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            limit: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            spent: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            reserved: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            remaining: number;
            perTransactionLimit: number | null;
            active: boolean;
        };
        BudgetAllowance: {
            /** @constant */
            allowed: true;
            /** @example agent-7 */
            agentId: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            requested: number;
            limit: number | null;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            spent: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            reserved: number;
            remaining: number | null;
            currency: string | null;
            periodEnd: string | null;
            reservationId?: string | null;
            expiresAt?: string | null;
        };
        ClosedReservation: {
            /**
             * Format: uuid
             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
             */
            reservationId: string;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            amount: number;
            status: "committed" | "released";
            /** @example agent-7 */
            agentId: string;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            period: "day" | "week" | "month" | "total";
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            periodStart: string;
            periodEnd: string | null;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            limit: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            spent: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            reserved: number;
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            remaining: number;
            perTransactionLimit: number | null;
            active: boolean;
        };
        /** @description What the upstream demands: the members of its own body, and beside them `invoice`. */
        UpstreamDemand: {
            /** @description As the upstream has it, else as our own errors are. */
            error: unknown;
            invoice: components["schemas"]["Invoice"];
        } & {
            [key: string]: unknown;
        };
        SettlementPending: {
            /** @constant */
            success: false;
            /** @constant */
            status: "settlement_pending";
            network: "base" | "polygon" | "arbitrum" | "solana" | "skale" | "ethereum";
            txHash: string | null;
            message: string;
        };
        /** @description What must be paid, as x402 v1 has it. The header `PAYMENT-REQUIRED` says it as v2 does, on all networks. */
        PaymentRequired: {
            /** @constant */
            x402Version: 1;
            /** @example Payment required */
            error: string;
            accepts: {
                /** @constant */
                scheme: "exact";
                /** @example base */
                network: string;
                /**
                 * @description In base units of the asset.
                 * @example 10000
                 */
                maxAmountRequired: string;
                asset: string;
                payTo: string;
                maxTimeoutSeconds: number;
                resource: string;
                description: string;
                mimeType: string;
                extra: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What is wrong with the body; correct it before you pay. */
            details?: unknown;
        };
        Tax: {
            /**
             * @description In the smallest unit of the currency.
             * @example 1000
             */
            subtotal: number;
            /**
             * @description In percent.
             * @example 19
             */
            taxRate: number;
            /** @example 190 */
            taxAmount: number;
            /** @example 1190 */
            totalAmount: number;
            /**
             * @description An ISO 4217 code or USDC.
             * @example USDC
             */
            currency: string;
            /** @example DE */
            countryCode: string;
            /** @example Germany */
            country: string;
            rateType: "standard" | "reduced";
            breakdown: {
                /** @example Standard VAT DE (19%) */
                description: string;
                /**
                 * @description In percent.
                 * @example 19
                 */
                rate: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
            }[];
        };
        TaxRates: {
            /** @example DE */
            countryCode: string;
            /** @example Germany */
            country: string;
            /**
             * @description In percent.
             * @example 19
             */
            standard: number;
            /**
             * @description In percent.
             * @example 7
             */
            reduced: number;
            /**
             * Format: date
             * @description The UTC day from which they apply.
             * @example 2021-01-01
             */
            from: string;
            /**
             * @description The law.
             * @example UStG § 12
             */
            source: string;
            /** @description All rates of the country, past and to come, oldest first. */
            dated: {
                /**
                 * @description In percent.
                 * @example 19
                 */
                standard: number;
                /**
                 * @description In percent.
                 * @example 7
                 */
                reduced: number;
                /**
                 * Format: date
                 * @description The UTC day from which they apply.
                 * @example 2021-01-01
                 */
                from: string;
                /**
                 * @description The law.
                 * @example UStG § 12
                 */
                source: string;
            }[];
        };
        DashboardToken: {
            token: string;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            expiresAt: string;
        };
        TaxSummary: {
            /** @example 1 */
            invoiceCount: number;
            currencies: {
                /**
                 * @description An ISO 4217 code or USDC.
                 * @example USDC
                 */
                currency: string;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                subtotal: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                tax: number;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                totalWithTax: number;
                /** @example 1 */
                invoiceCount: number;
                /** @description What was credited, as positive figures. */
                credits: {
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    subtotal: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    tax: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    totalWithTax: number;
                    /** @example 1 */
                    creditNoteCount: number;
                };
                /** @description Sales less credits. */
                net: {
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    subtotal: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    tax: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    totalWithTax: number;
                };
                byCountry: {
                    countryCode: string | null;
                    country: string | null;
                    /**
                     * @description In percent.
                     * @example 19
                     */
                    taxRate: number;
                    category: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    subtotal: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    tax: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    totalWithTax: number;
                    /** @example 1 */
                    invoiceCount: number;
                    /** @description What was credited, as positive figures. */
                    credits: {
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        subtotal: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        tax: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        totalWithTax: number;
                        /** @example 1 */
                        creditNoteCount: number;
                    };
                    /** @description Sales less credits. */
                    net: {
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        subtotal: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        tax: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        totalWithTax: number;
                    };
                }[];
            }[];
            /** @description The same for what was bought through the proxy. Its tax is only recorded, from `X-Invoice-Country`: nobody has paid it. */
            purchases: {
                /** @example 1 */
                invoiceCount: number;
                currencies: {
                    /**
                     * @description An ISO 4217 code or USDC.
                     * @example USDC
                     */
                    currency: string;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    subtotal: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    tax: number;
                    /**
                     * @description In the smallest unit of the currency.
                     * @example 1000
                     */
                    totalWithTax: number;
                    /** @example 1 */
                    invoiceCount: number;
                    /** @description What was credited, as positive figures. */
                    credits: {
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        subtotal: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        tax: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        totalWithTax: number;
                        /** @example 1 */
                        creditNoteCount: number;
                    };
                    /** @description Sales less credits. */
                    net: {
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        subtotal: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        tax: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        totalWithTax: number;
                    };
                    byCountry: {
                        countryCode: string | null;
                        country: string | null;
                        /**
                         * @description In percent.
                         * @example 19
                         */
                        taxRate: number;
                        category: "standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope";
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        subtotal: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        tax: number;
                        /**
                         * @description In the smallest unit of the currency.
                         * @example 1000
                         */
                        totalWithTax: number;
                        /** @example 1 */
                        invoiceCount: number;
                        /** @description What was credited, as positive figures. */
                        credits: {
                            /**
                             * @description In the smallest unit of the currency.
                             * @example 1000
                             */
                            subtotal: number;
                            /**
                             * @description In the smallest unit of the currency.
                             * @example 1000
                             */
                            tax: number;
                            /**
                             * @description In the smallest unit of the currency.
                             * @example 1000
                             */
                            totalWithTax: number;
                            /** @example 1 */
                            creditNoteCount: number;
                        };
                        /** @description Sales less credits. */
                        net: {
                            /**
                             * @description In the smallest unit of the currency.
                             * @example 1000
                             */
                            subtotal: number;
                            /**
                             * @description In the smallest unit of the currency.
                             * @example 1000
                             */
                            tax: number;
                            /**
                             * @description In the smallest unit of the currency.
                             * @example 1000
                             */
                            totalWithTax: number;
                        };
                    }[];
                }[];
            };
        };
        Overview: {
            /** @constant */
            currency: "USDC";
            open: {
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
                /** @example 1 */
                invoiceCount: number;
            };
            confirming: {
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
                /** @example 1 */
                invoiceCount: number;
            };
            settledByDay: {
                /** @example 2026-05-01 */
                day: string;
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
                /** @example 1 */
                invoiceCount: number;
            }[];
            /** @description The sum of these days. */
            settled: {
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
                /** @example 1 */
                invoiceCount: number;
            };
            credited: {
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
                /** @example 1 */
                creditNoteCount: number;
            };
            net: {
                /**
                 * @description In the smallest unit of the currency.
                 * @example 1000
                 */
                amount: number;
            };
        };
        RpcError: {
            /** @constant */
            jsonrpc: "2.0";
            /** @description Null if the request was refused before it was read. */
            id: string | number | null;
            error: {
                /** @description The JSON-RPC error code. */
                code: number;
                /** @description A sentence for people. */
                message: string;
                data?: {
                    /** @description Stable, for programs. */
                    code: string;
                    /** @description The HTTP status. */
                    status: number;
                    /** @description The fields at fault, or the numbers behind a refusal. */
                    details?: {
                        path: string;
                        message: string;
                    }[] | {
                        [key: string]: unknown;
                    };
                    /** @description The value of `Retry-After`, if it is sent. */
                    retry_after_seconds?: number;
                };
            };
        };
    };
    responses: {
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `INVALID_AMOUNT`: The amount is not a positive number with as many decimals as its family allows. */
        WrappedInvalidRequestOrInvalidAmount: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `UNAUTHORIZED`: No valid key, or no valid token. */
        WrappedUnauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `MANDATE_LIMIT_EXCEEDED`: The amount is more than the mandate has left. `FORBIDDEN`: The key lacks the permission. */
        WrappedMandateLimitExceededOrForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `MANDATE_NOT_ACTIVE`: The mandate is not signed by both parties, has ended, or belongs to another account. `MANDATE_CURRENCY_MISMATCH`: The mandate is in another currency. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        WrappedMandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 1 MiB. */
        WrappedPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not application/json, or is compressed. */
        WrappedUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: This Idempotency-Key was used with another body. */
        WrappedIdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests; Retry-After says how long to wait. */
        WrappedRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A part of the service is temporarily unavailable. */
        WrappedServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INTERNAL_ERROR`: Something went wrong on our side; quote the request id when you report it. */
        WrappedInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `FORBIDDEN`: The key lacks the permission. */
        WrappedForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `NOT_FOUND`: This account has nothing with that id. */
        WrappedNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. */
        WrappedInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: The service is overloaded. `SERVICE_UNAVAILABLE`: A part of the service is temporarily unavailable. */
        WrappedServiceUnavailableOrServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `INVALID_AMOUNT`: The amount is not a positive number with as many decimals as its family allows. */
        InvalidRequestOrInvalidAmount: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UNAUTHORIZED`: No valid key, or no valid token. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `MANDATE_LIMIT_EXCEEDED`: The amount is more than the mandate has left. `FORBIDDEN`: The key lacks the permission. */
        MandateLimitExceededOrForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `MANDATE_NOT_ACTIVE`: The mandate is not signed by both parties, has ended, or belongs to another account. `MANDATE_CURRENCY_MISMATCH`: The mandate is in another currency. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 1 MiB. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not application/json, or is compressed. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: This Idempotency-Key was used with another body. */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests; Retry-After says how long to wait. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A part of the service is temporarily unavailable. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INTERNAL_ERROR`: Something went wrong on our side; quote the request id when you report it. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `FORBIDDEN`: The key lacks the permission. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `NOT_FOUND`: This account has nothing with that id. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: The service is overloaded. `SERVICE_UNAVAILABLE`: A part of the service is temporarily unavailable. */
        ServiceUnavailableOrServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. */
        InvalidState: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `CREDIT_EXCEEDED`: More would be credited than is left of the invoice. `LIMIT_REACHED`: The limit on how many may exist is reached. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        InvalidStateOrCreditExceededOrLimitReachedOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `REFUND_NOT_PROVEN`: The transaction does not prove the refund; the message says why. */
        InvalidStateOrRefundNotProven: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `FORBIDDEN`: The key lacks the permission. `invalid_signature`: The signature does not match the signed bytes. */
        ForbiddenOrInvalidSignature: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `LIMIT_REACHED`: The limit on how many may exist is reached. */
        InvalidStateOrLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_signature`: The signature does not match the signed bytes. `FORBIDDEN`: The key lacks the permission. */
        InvalidSignatureOrForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `CREDIT_EXCEEDED`: More would be credited than is left of the invoice. `LIMIT_REACHED`: The limit on how many may exist is reached. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        WrappedInvalidStateOrCreditExceededOrLimitReachedOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `NOT_THE_SENDER`: The payer did not send the transfer. `invalid_signature`: The signature does not match the signed bytes. */
        WrappedNotTheSenderOrInvalidSignature: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `ALREADY_CREDITED`: The transfer has been credited to another invoice. `TRANSFER_MISMATCH`: The transfer does not pay the address of the invoice. `LIMIT_REACHED`: The limit on how many may exist is reached. */
        WrappedInvalidStateOrAlreadyCreditedOrTransferMismatchOrLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `ALREADY_CREDITED`: The transfer has been credited to another invoice. `TRANSFER_MISMATCH`: The transfer does not pay the address of the invoice. `LIMIT_REACHED`: The limit on how many may exist is reached. */
        InvalidStateOrAlreadyCreditedOrTransferMismatchOrLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `LIMIT_REACHED`: The limit on how many may exist is reached. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        WrappedLimitReachedOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        WrappedIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        WrappedInvalidStateOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `LIMIT_REACHED`: The limit on how many may exist is reached. */
        WrappedInvalidStateOrLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `LIMIT_REACHED`: The limit on how many may exist is reached. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        LimitReachedOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        IdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_STATE`: Its state does not allow this. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        InvalidStateOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `missing_field`: A required field is missing. `invalid_field`: The body or one of its fields is malformed. */
        WrappedInvalidRequestOrMissingFieldOrInvalidField: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `mandate_not_found`: This account has no mandate with that id. `NOT_FOUND`: This account has nothing with that id. */
        WrappedMandateNotFoundOrNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `invalid_signer`: `signer` is neither `proposer` nor `counterparty`. `missing_signature`: `signature` is missing. */
        WrappedInvalidRequestOrInvalidSignerOrMissingSignature: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `invalid_signature`: The signature does not match the signed bytes. `FORBIDDEN`: The key lacks the permission. */
        WrappedInvalidSignatureOrForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `invalid_transition`: The mandate is in a state that does not allow this, or has expired. */
        WrappedInvalidTransition: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. `missing_reason`: `reason` is missing or empty. */
        WrappedInvalidRequestOrMissingReason: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WrappedError"];
            };
        };
        /** @description `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
        BudgetExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `AGENT_MISMATCH`: The quote that this payment pays was made for another agent. `MANDATE_LIMIT_EXCEEDED`: The amount is more than the mandate has left. `FORBIDDEN`: The key lacks the permission. */
        AgentMismatchOrMandateLimitExceededOrForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `MANDATE_NOT_ACTIVE`: The mandate is not signed by both parties, has ended, or belongs to another account. `MANDATE_CURRENCY_MISMATCH`: The mandate is in another currency. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. `INVALID_STATE`: Its state does not allow this. */
        MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UPSTREAM_FAILED`: The upstream is unreachable, closed the connection, or violates the protocol. `UPSTREAM_UNSUPPORTED`: The upstream takes no payment of `exact` USDC on a supported chain; `details.offered` says what it takes. */
        UpstreamFailedOrUpstreamUnsupported: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UPSTREAM_TIMEOUT`: The upstream did not answer in time. */
        UpstreamTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PAYMENT_REUSED`: The payment has bought something else. `IDEMPOTENCY_IN_PROGRESS`: The same request, or one with the same payment, is still running. */
        PaymentReusedOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_REQUEST`: The body, a parameter or a header is malformed, or a required field is missing. */
        RpcInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `UNAUTHORIZED`: No valid key, or no valid token. */
        RpcUnauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `FORBIDDEN`: The key lacks the permission. */
        RpcForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 1 MiB. */
        RpcPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not application/json, or is compressed. */
        RpcUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests; Retry-After says how long to wait. */
        RpcRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A part of the service is temporarily unavailable. */
        RpcServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
        /** @description `INTERNAL_ERROR`: Something went wrong on our side; quote the request id when you report it. */
        RpcInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RpcError"];
            };
        };
    };
    parameters: {
        /** @description Identifies the request in our logs; generated if it is missing. */
        RequestId: string;
        /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
        IdempotencyKey: string;
        /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
        IfNoneMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description Identifies the request in our logs; a valid id of yours is kept. */
        "X-Request-Id": string;
        /** @description Requests allowed in the tighter of the two windows. */
        "X-RateLimit-Limit": number;
        /** @description How many of them are left. */
        "X-RateLimit-Remaining": number;
        /** @description Unix time in seconds at which the window resets. */
        "X-RateLimit-Reset": number;
        /** @description Seconds to wait. */
        "Retry-After": number;
        /** @description How to authenticate: `Bearer`. */
        "WWW-Authenticate": string;
        /** @description Identifies this version, for `If-None-Match`. */
        ETag: string;
        /** @description `true` if this repeats the first answer. */
        "Idempotent-Replayed": string;
        /** @description The x402 payment requirements: base64 of JSON. */
        "PAYMENT-REQUIRED": string;
        /** @description The x402 settlement response: base64 of JSON. */
        "PAYMENT-RESPONSE": string;
        /** @description The same for clients of x402 v1. */
        "X-PAYMENT-RESPONSE": string;
        /** @description The invoice for the purchase. */
        "X-Invoice-Id": string;
        /** @description What was left out of the headers about the buyer. */
        "X-Invoice-Warnings": string;
        /** @description Its receipt, once there is one. */
        "X-Receipt-Id": string;
        /** @description Where the PDF of the invoice is: `rel="invoice"`. */
        Link: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getV1Invoices: {
        parameters: {
            query?: {
                /** @description Only those in this status. */
                status?: "PENDING" | "SETTLED" | "FAILED";
                /** @description An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B). Only invoices created then or later. */
                startDate?: string;
                /** @description An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B). Only invoices created before. */
                endDate?: string;
                /** @description Only what is sold, or bought through the proxy. */
                kind?: "sale" | "purchase";
                /** @description Only those made with this `agentId`. */
                agentId?: string;
                /** @description An invoice’s number or id, the hash of a transaction that paid it, its reference, or part of its buyer’s name or e-mail address or, of a purchase, of its host, which is searched among the newest 10,000 invoices. */
                search?: string;
                /** @description Only with `Accept: text/csv`, of settlements. A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`. */
                period?: string;
                /** @description Only with `Accept: text/csv`, of settlements. Instead of `period`: the first day, UTC. */
                from?: string;
                /** @description Only with `Accept: text/csv`, of settlements. The day after the last one, UTC. */
                to?: string;
                /** @description The most items on a page. */
                limit?: number;
                /** @description The number of the page; the first is 1. */
                page?: number;
                /** @description The `nextCursor` of the previous page; replaces `page`. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DecimalInvoice"][];
                        /** @example 1 */
                        total: number;
                        /** @example 1 */
                        page: number;
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailableOrServiceUnavailable"];
        };
    };
    postV1Invoices: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody: {
            content: {
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
                "application/json": {
                    /** @description a decimal amount with at most 6 places, as a number or a string; required without `lines` */
                    amount?: number | string;
                    /** @description What is sold, line by line, in at most 64 KiB. `amount` may then be left out, else it is the sum of the nets: quantity × unit price, rounded half up to the unit of the currency. Both parties then need what EN 16931 requires, such as their countries. */
                    lines?: {
                        /** @description What is sold. */
                        description: string;
                        /** @description How many units: a decimal above 0 with at most 6 places, as a number or a text. */
                        quantity: number | string;
                        /** @description The price of one unit, without tax: a decimal with at most 6 places, as a number or a text. It may be 0. */
                        unitPrice: number | string;
                        /** @description The unit: a code of UN/ECE Recommendation 20 such as `C62` (one), the default, `HUR` (hour), `DAY` or `KGM`, or of Recommendation 21 with an X in front. */
                        unit?: string | null;
                        /** @description How it is taxed. Default: `standard` where there is a `taxCountry`, else `outside_scope`. */
                        taxCategory?: ("standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope") | null;
                        /** @description In percent, for `standard` and `reduced` only: it must be that rate of the `taxCountry`, which is also the default. */
                        taxRate?: number | null;
                        /** @description Why there is no tax: a text, or a VATEX code such as `VATEX-EU-132-1I`. `exempt` needs one; all lines of a category have the same. */
                        taxExemptionReason?: string | null;
                    }[];
                    /** @description The currency of the amount: an ISO 4217 code such as `EUR`, or `USDC`. Other currencies than the dollar are converted at a rate fixed at creation. Default: `USDC`. */
                    currency?: string;
                    /** @description The chain to pay on. Default: `base`. */
                    chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale";
                    /** @description The country whose standard VAT is added to the amount: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`. Without it there is no tax. */
                    taxCountry?: string;
                    /** @description The same as `taxCountry`; if both are sent they must be equal. */
                    country?: string;
                    /** @description The agent it is created for, by a name of your choice such as `agent-7`: lists can be filtered by it. No budget is charged. */
                    agentId?: string;
                    /** @description The mandate it is created under, such as `mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21`: a mandate of the account that both parties have signed, with enough left for the total. */
                    mandateId?: string;
                    /** @description When payment is due: an ISO 8601 date such as `2026-06-01`, meaning its end (`23:59:59.999Z`), or a timestamp with Z or an offset. It must be in the future. */
                    dueAt?: string;
                    /** @description The wallet on `chain` that is expected to pay: a transfer from it of exactly the amount due pays this invoice even without a reference. */
                    payer?: string;
                    /** @description The buyer’s own mark of its order or department, which its books ask for. */
                    buyerReference?: string;
                    /** @description Your own data: a JSON object of at most 4 KiB, returned as it was sent. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /** @description The name of the buyer, as documents show it. */
                    customerName: string;
                    /** @description The e-mail address of the buyer, as documents show it. Nothing is sent to it. */
                    customerEmail: string;
                    /** @description The VAT registration number of the buyer, such as `DE123456789`. */
                    buyerVat?: string;
                    /** @description The postal address of the buyer, the country last, in several lines. */
                    buyerAddress?: string;
                    /**
                     * Format: iso-3166-1
                     * @description The country of the buyer: an ISO 3166 code of two letters such as `DE`. With `lines` it is required, unless  the VAT id says it.
                     */
                    buyerCountry?: string;
                    /** @description The name of the seller, as documents show it. Default: that of the account’s profile. */
                    sellerName?: string;
                    /** @description The VAT registration number of the seller, such as `DE123456789`. Default: that of the account’s profile. */
                    sellerVat?: string;
                    /** @description The postal address of the seller, the country last, in several lines. Default: that of the account’s profile. */
                    sellerAddress?: string;
                    /**
                     * Format: iso-3166-1
                     * @description The country of the seller: an ISO 3166 code of two letters such as `DE`. With `lines` it is required, unless the profile or  the VAT id says it.
                     */
                    sellerCountry?: string;
                    /** @description What the invoice is for, as documents show it. */
                    serviceDescription?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DecimalInvoice"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequestOrInvalidAmount"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedMandateLimitExceededOrForbidden"];
            409: components["responses"]["WrappedMandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgress"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            422: components["responses"]["WrappedIdempotencyKeyReused"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1InvoicesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DecimalInvoice"];
                    };
                };
            };
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getApiInvoices: {
        parameters: {
            query?: {
                /** @description Only those in this status. */
                status?: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                /** @description An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B). Only invoices created then or later. */
                startDate?: string;
                /** @description An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B). Only invoices created before. */
                endDate?: string;
                /** @description Only what is sold, or bought through the proxy. */
                kind?: "sale" | "purchase";
                /** @description Only those made with this `agentId`. */
                agentId?: string;
                /** @description An invoice’s number or id, the hash of a transaction that paid it, its reference, or part of its buyer’s name or e-mail address or, of a purchase, of its host, which is searched among the newest 10,000 invoices. */
                search?: string;
                /** @description Only with `Accept: text/csv`, of settlements. A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`. */
                period?: string;
                /** @description Only with `Accept: text/csv`, of settlements. Instead of `period`: the first day, UTC. */
                from?: string;
                /** @description Only with `Accept: text/csv`, of settlements. The day after the last one, UTC. */
                to?: string;
                /** @description The most items on a page. */
                limit?: number;
                /** @description The number of the page; the first is 1. */
                page?: number;
                /** @description The `nextCursor` of the previous page; replaces `page`. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["InvoiceSummary"][];
                        /** @example 1 */
                        total: number;
                        /** @example 1 */
                        page: number;
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postApiInvoices: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody: {
            content: {
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
                "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY); required without `lines` */
                    amount?: number;
                    /** @description What is sold, line by line, in at most 64 KiB. `amount` may then be left out, else it is the sum of the nets: quantity × unit price, rounded half up to the unit of the currency. Both parties then need what EN 16931 requires, such as their countries. */
                    lines?: {
                        /** @description What is sold. */
                        description: string;
                        /** @description How many units: a decimal above 0 with at most 6 places, as a number or a text. */
                        quantity: number | string;
                        /** @description The price of one unit, without tax: an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY); or, as a text, a decimal of minor units with at most 6 places. It may be 0. */
                        unitPrice: number | string;
                        /** @description The unit: a code of UN/ECE Recommendation 20 such as `C62` (one), the default, `HUR` (hour), `DAY` or `KGM`, or of Recommendation 21 with an X in front. */
                        unit?: string | null;
                        /** @description How it is taxed. Default: `standard` where there is a `taxCountry`, else `outside_scope`. */
                        taxCategory?: ("standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope") | null;
                        /** @description In percent, for `standard` and `reduced` only: it must be that rate of the `taxCountry`, which is also the default. */
                        taxRate?: number | null;
                        /** @description Why there is no tax: a text, or a VATEX code such as `VATEX-EU-132-1I`. `exempt` needs one; all lines of a category have the same. */
                        taxExemptionReason?: string | null;
                    }[];
                    /** @description The currency of the amount: an ISO 4217 code such as `EUR`, or `USDC`. Other currencies than the dollar are converted at a rate fixed at creation. */
                    currency: string;
                    /** @description The chain to pay on. Default: `base`. */
                    chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale";
                    /** @description The country whose standard VAT is added to the amount: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`. Without it there is no tax. */
                    taxCountry?: string;
                    /** @description The same as `taxCountry`; if both are sent they must be equal. */
                    country?: string;
                    /** @description The agent it is created for, by a name of your choice such as `agent-7`: lists can be filtered by it. No budget is charged. */
                    agentId?: string;
                    /** @description The mandate it is created under, such as `mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21`: a mandate of the account that both parties have signed, with enough left for the total. */
                    mandateId?: string;
                    /** @description When payment is due: an ISO 8601 date such as `2026-06-01`, meaning its end (`23:59:59.999Z`), or a timestamp with Z or an offset. It must be in the future. */
                    dueAt?: string;
                    /** @description The wallet on `chain` that is expected to pay: a transfer from it of exactly the amount due pays this invoice even without a reference. */
                    payer?: string;
                    /** @description The buyer’s own mark of its order or department, which its books ask for. */
                    buyerReference?: string;
                    /** @description Your own data: a JSON object of at most 4 KiB, returned as it was sent. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /** @description What the invoice is for, as documents show it. */
                    description?: string;
                    /** @description The payer. */
                    buyer: {
                        /** @description The name of the buyer, as documents show it. */
                        companyName: string;
                        /** @description The e-mail address of the buyer, as documents show it. Nothing is sent to it. */
                        email: string;
                        /** @description The postal address of the buyer, the country last, in several lines. */
                        address?: string;
                        /** @description The VAT registration number of the buyer, such as `DE123456789`. */
                        vat?: string;
                        /**
                         * Format: iso-3166-1
                         * @description The country of the buyer: an ISO 3166 code of two letters such as `DE`. With `lines` it is required, unless  the VAT id says it.
                         */
                        country?: string;
                    };
                    /** @description The payee, as documents show it. */
                    seller: {
                        /** @description The name of the seller, as documents show it. Default: that of the account’s profile. */
                        name?: string;
                        /** @description The wallet of the seller on `chain`, shown on the invoice. Payments always go to `paymentDetails.paymentAddress`. */
                        wallet: string;
                        /** @description The postal address of the seller, the country last, in several lines. Default: that of the account’s profile. */
                        address?: string;
                        /** @description The VAT registration number of the seller, such as `DE123456789`. Default: that of the account’s profile. */
                        vat?: string;
                        /**
                         * Format: iso-3166-1
                         * @description The country of the seller: an ISO 3166 code of two letters such as `DE`. With `lines` it is required, unless the profile or  the VAT id says it.
                         */
                        country?: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["MandateLimitExceededOrForbidden"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiInvoicesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiInvoicesByIdSend: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiInvoicesByIdVoid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiInvoicesByIdTimeline: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceTimeline"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiV1Invoices: {
        parameters: {
            query?: {
                /** @description Only those in this status. */
                status?: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                /** @description An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B). Only invoices created then or later. */
                startDate?: string;
                /** @description An ISO 8601 date, meaning its midnight UTC, or a timestamp with Z or an offset (whose + is written %2B). Only invoices created before. */
                endDate?: string;
                /** @description Only what is sold, or bought through the proxy. */
                kind?: "sale" | "purchase";
                /** @description Only those made with this `agentId`. */
                agentId?: string;
                /** @description An invoice’s number or id, the hash of a transaction that paid it, its reference, or part of its buyer’s name or e-mail address or, of a purchase, of its host, which is searched among the newest 10,000 invoices. */
                search?: string;
                /** @description Only with `Accept: text/csv`, of settlements. A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`. */
                period?: string;
                /** @description Only with `Accept: text/csv`, of settlements. Instead of `period`: the first day, UTC. */
                from?: string;
                /** @description Only with `Accept: text/csv`, of settlements. The day after the last one, UTC. */
                to?: string;
                /** @description The most items on a page. */
                limit?: number;
                /** @description The number of the page; the first is 1. */
                page?: number;
                /** @description The `nextCursor` of the previous page; replaces `page`. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["InvoiceSummary"][];
                        /** @example 1 */
                        total: number;
                        /** @example 1 */
                        page: number;
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postApiV1Invoices: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currency": "USD",
                 *       "chain": "base",
                 *       "taxCountry": "DE",
                 *       "customerName": "Ada Example Ltd",
                 *       "customerEmail": "ada@example.com",
                 *       "buyerCountry": "IE",
                 *       "sellerName": "Grace Example GmbH",
                 *       "sellerVat": "DE123456788",
                 *       "lines": [
                 *         {
                 *           "description": "Work in April",
                 *           "quantity": "2.5",
                 *           "unit": "HUR",
                 *           "unitPrice": 8000
                 *         },
                 *         {
                 *           "description": "A book",
                 *           "quantity": 1,
                 *           "unitPrice": 1999,
                 *           "taxCategory": "reduced"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY); required without `lines` */
                    amount?: number;
                    /** @description What is sold, line by line, in at most 64 KiB. `amount` may then be left out, else it is the sum of the nets: quantity × unit price, rounded half up to the unit of the currency. Both parties then need what EN 16931 requires, such as their countries. */
                    lines?: {
                        /** @description What is sold. */
                        description: string;
                        /** @description How many units: a decimal above 0 with at most 6 places, as a number or a text. */
                        quantity: number | string;
                        /** @description The price of one unit, without tax: an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY); or, as a text, a decimal of minor units with at most 6 places. It may be 0. */
                        unitPrice: number | string;
                        /** @description The unit: a code of UN/ECE Recommendation 20 such as `C62` (one), the default, `HUR` (hour), `DAY` or `KGM`, or of Recommendation 21 with an X in front. */
                        unit?: string | null;
                        /** @description How it is taxed. Default: `standard` where there is a `taxCountry`, else `outside_scope`. */
                        taxCategory?: ("standard" | "reduced" | "zero" | "exempt" | "reverse_charge" | "intra_community" | "export" | "outside_scope") | null;
                        /** @description In percent, for `standard` and `reduced` only: it must be that rate of the `taxCountry`, which is also the default. */
                        taxRate?: number | null;
                        /** @description Why there is no tax: a text, or a VATEX code such as `VATEX-EU-132-1I`. `exempt` needs one; all lines of a category have the same. */
                        taxExemptionReason?: string | null;
                    }[];
                    /** @description The currency of the amount: an ISO 4217 code such as `EUR`, or `USDC`. Other currencies than the dollar are converted at a rate fixed at creation. Default: `USD`. */
                    currency?: string;
                    /** @description The chain to pay on. Default: `base`. */
                    chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale";
                    /** @description The country whose standard VAT is added to the amount: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`. Without it there is no tax. */
                    taxCountry?: string;
                    /** @description The same as `taxCountry`; if both are sent they must be equal. */
                    country?: string;
                    /** @description The agent it is created for, by a name of your choice such as `agent-7`: lists can be filtered by it. No budget is charged. */
                    agentId?: string;
                    /** @description The mandate it is created under, such as `mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21`: a mandate of the account that both parties have signed, with enough left for the total. */
                    mandateId?: string;
                    /** @description When payment is due: an ISO 8601 date such as `2026-06-01`, meaning its end (`23:59:59.999Z`), or a timestamp with Z or an offset. It must be in the future. */
                    dueAt?: string;
                    /** @description The wallet on `chain` that is expected to pay: a transfer from it of exactly the amount due pays this invoice even without a reference. */
                    payer?: string;
                    /** @description The buyer’s own mark of its order or department, which its books ask for. */
                    buyerReference?: string;
                    /** @description Your own data: a JSON object of at most 4 KiB, returned as it was sent. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /** @description The name of the buyer, as documents show it. */
                    customerName: string;
                    /** @description The e-mail address of the buyer, as documents show it. Nothing is sent to it. */
                    customerEmail: string;
                    /** @description The VAT registration number of the buyer, such as `DE123456789`. */
                    buyerVat?: string;
                    /** @description The postal address of the buyer, the country last, in several lines. */
                    buyerAddress?: string;
                    /**
                     * Format: iso-3166-1
                     * @description The country of the buyer: an ISO 3166 code of two letters such as `DE`. With `lines` it is required, unless  the VAT id says it.
                     */
                    buyerCountry?: string;
                    /** @description The name of the seller, as documents show it. Default: that of the account’s profile. */
                    sellerName?: string;
                    /** @description The VAT registration number of the seller, such as `DE123456789`. Default: that of the account’s profile. */
                    sellerVat?: string;
                    /** @description The postal address of the seller, the country last, in several lines. Default: that of the account’s profile. */
                    sellerAddress?: string;
                    /**
                     * Format: iso-3166-1
                     * @description The country of the seller: an ISO 3166 code of two letters such as `DE`. With `lines` it is required, unless the profile or  the VAT id says it.
                     */
                    sellerCountry?: string;
                    /** @description What the invoice is for, as documents show it. */
                    serviceDescription?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["MandateLimitExceededOrForbidden"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiV1InvoicesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiInvoicesByIdCreditNotes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Returned",
                 *       "lines": [
                 *         {
                 *           "line": 1,
                 *           "quantity": "1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Why, as documents show it. Required for sales. */
                    reason?: string;
                    /** @description With tax, in the unit of the family; of a purchase, a part of its price. Default: all that is left. */
                    amount?: number | string;
                    /** @description Quantities of lines, in place of an amount; an invoice without lines is one line of 1. */
                    lines?: {
                        /** @description The place of the line on the invoice, from 1. */
                        line: number;
                        /** @description A decimal above 0 with at most 6 places, as a number or a string. */
                        quantity: number | string;
                    }[];
                    /** @description Only for a purchase, and required: the number of its seller’s credit note. */
                    number?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditNote"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrCreditExceededOrLimitReachedOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    getApiCreditNotes: {
        parameters: {
            query?: {
                /** @description Only those of this invoice. */
                invoiceId?: string;
                /** @description The most items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreditNote"][];
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    getApiCreditNotesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditNote"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiCreditNotesByIdRefund: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "txHash": "0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"
                 *     }
                 */
                "application/json": {
                    /** @description The transaction of the transfer: its hash, or its signature on Solana. */
                    txHash: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvenRefund"];
                };
            };
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvenRefund"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrRefundNotProven"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postApiCreditNotesByIdRefundAddress: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "payer": "0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345",
                 *       "refundTo": "0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345",
                 *       "sequence": 1,
                 *       "signature": "0x1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b"
                 *     }
                 */
                "application/json": {
                    /** @description The address to which the refund is to be sent. */
                    refundTo: string;
                    /** @description The wallet that paid, and signs. */
                    payer?: string;
                    /** @description One more than the refund shows. */
                    sequence?: number;
                    /** @description The signature of the documented lines; of a contract wallet, as EIP-1271 or EIP-6492 has it. */
                    signature?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        creditNoteId: string;
                        payer: string | null;
                        /** @example 0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345 */
                        refundTo: string;
                        /**
                         * @description How many statements of its payer have named an address.
                         * @example 0
                         */
                        sequence: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrInvalidSignature"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postApiCreditNotesByIdRefundWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet": "0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345",
                 *       "signature": "0x1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b"
                 *     }
                 */
                "application/json": {
                    /** @description The wallet of the seller from which the refund comes, and signs. */
                    wallet: string;
                    /** @description The signature of the documented lines; of a contract wallet, as EIP-1271 or EIP-6492 has it. */
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvalidSignatureOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postApiV1InvoicesByIdCreditNotes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Returned",
                 *       "lines": [
                 *         {
                 *           "line": 1,
                 *           "quantity": "1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Why, as documents show it. Required for sales. */
                    reason?: string;
                    /** @description With tax, in the unit of the family; of a purchase, a part of its price. Default: all that is left. */
                    amount?: number | string;
                    /** @description Quantities of lines, in place of an amount; an invoice without lines is one line of 1. */
                    lines?: {
                        /** @description The place of the line on the invoice, from 1. */
                        line: number;
                        /** @description A decimal above 0 with at most 6 places, as a number or a string. */
                        quantity: number | string;
                    }[];
                    /** @description Only for a purchase, and required: the number of its seller’s credit note. */
                    number?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditNote"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrCreditExceededOrLimitReachedOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postV1InvoicesByIdCreditNotes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Returned",
                 *       "lines": [
                 *         {
                 *           "line": 1,
                 *           "quantity": "1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Why, as documents show it. Required for sales. */
                    reason?: string;
                    /** @description With tax, in the unit of the family; of a purchase, a part of its price. Default: all that is left. */
                    amount?: number | string;
                    /** @description Quantities of lines, in place of an amount; an invoice without lines is one line of 1. */
                    lines?: {
                        /** @description The place of the line on the invoice, from 1. */
                        line: number;
                        /** @description A decimal above 0 with at most 6 places, as a number or a string. */
                        quantity: number | string;
                    }[];
                    /** @description Only for a purchase, and required: the number of its seller’s credit note. */
                    number?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DecimalCreditNote"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequestOrInvalidAmount"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            409: components["responses"]["WrappedInvalidStateOrCreditExceededOrLimitReachedOrIdempotencyInProgress"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            422: components["responses"]["WrappedIdempotencyKeyReused"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailableOrServiceUnavailable"];
        };
    };
    getV1CreditNotes: {
        parameters: {
            query?: {
                /** @description Only those of this invoice. */
                invoiceId?: string;
                /** @description The most items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DecimalCreditNote"][];
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailableOrServiceUnavailable"];
        };
    };
    getV1CreditNotesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DecimalCreditNote"];
                    };
                };
            };
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1PublicInvoicesByIdClaim: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "txHash": "0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                 *       "signature": "0x1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b",
                 *       "payer": "0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345"
                 *     }
                 */
                "application/json": {
                    /** @description The transaction of the transfer: its hash, or its signature on Solana. */
                    txHash?: string;
                    /** @description The signature of the five lines by `payer`; of a contract wallet, as EIP-1271 or EIP-6492 has it. */
                    signature?: string;
                    /** @description The wallet that sent the transfer and signs for it. */
                    payer?: string;
                    /** @description The same three members, as an object or as base64 of its JSON. */
                    x_payment?: {
                        /** @description The transaction of the transfer: its hash, or its signature on Solana. */
                        txHash: string;
                        /** @description The signature of the five lines by `payer`; of a contract wallet, as EIP-1271 or EIP-6492 has it. */
                        signature: string;
                        /** @description The wallet that sent the transfer and signs for it. */
                        payer: string;
                    } | string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Claim"];
                    };
                };
            };
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Claim"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedNotTheSenderOrInvalidSignature"];
            404: components["responses"]["WrappedNotFound"];
            409: components["responses"]["WrappedInvalidStateOrAlreadyCreditedOrTransferMismatchOrLimitReached"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getApiTransfers: {
        parameters: {
            query?: {
                status?: "unmatched" | "ambiguous" | "matched" | "held";
                chain?: "base" | "polygon" | "arbitrum" | "solana" | "skale" | "ethereum";
                /** @description The most items on a page. */
                limit?: number;
                /** @description The number of the page; the first is 1. */
                page?: number;
                /** @description The `nextCursor` of the previous page; replaces `page`. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Transfer"][];
                        /** @example 1 */
                        total: number;
                        /** @example 1 */
                        page: number;
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    postApiTransfersByIdAssign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invoiceId": "01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21"
                 *     }
                 */
                "application/json": {
                    /** @description The id of the invoice that the transfer pays, a UUID. */
                    invoiceId: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrAlreadyCreditedOrTransferMismatchOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiInvoicesByIdPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description The version you have is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    getApiInvoicesByIdXml: {
        parameters: {
            query?: {
                format?: "ubl" | "cii" | "peppol";
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description The version you have is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiCreditNotesByIdPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description The version you have is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    getApiCreditNotesByIdXml: {
        parameters: {
            query?: {
                format?: "ubl" | "cii" | "peppol";
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description The version you have is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getV1Webhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Webhook"][];
                        /** @example 1 */
                        total: number;
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1Webhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "events": [
                 *         "invoice.settled"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Where events are delivered: an http or https URL without credentials that the service can reach. */
                    url: string;
                    /** @description The events to deliver. */
                    events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description Whether events are delivered; false pauses the webhook. Events that occur during a pause are not delivered later. */
                    active?: boolean;
                    /** @description The secret that signs deliveries: any text of 16 to 256 characters. Generated by default. */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            id: string;
                            /** @example https://example.com/hooks */
                            url: string;
                            events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                            active: boolean;
                            disabledReason: string | null;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            createdAt: string;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            updatedAt: string;
                            /** @example whsec_… */
                            secret?: string;
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            409: components["responses"]["WrappedLimitReachedOrIdempotencyInProgress"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            422: components["responses"]["WrappedIdempotencyKeyReused"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1WebhooksById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    deleteV1WebhooksById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the answer has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    patchV1WebhooksById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "active": true
                 *     }
                 */
                "application/json": {
                    /** @description Where events are delivered: an http or https URL without credentials that the service can reach. */
                    url?: string;
                    /** @description The events to deliver. */
                    events?: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description Whether events are delivered; false pauses the webhook. Events that occur during a pause are not delivered later. */
                    active?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1WebhooksByIdRotateSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            id: string;
                            /** @example https://example.com/hooks */
                            url: string;
                            events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                            active: boolean;
                            disabledReason: string | null;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            createdAt: string;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            updatedAt: string;
                            /** @example whsec_… */
                            secret: string;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            previousSecretUntil: string;
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            409: components["responses"]["WrappedIdempotencyInProgress"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            422: components["responses"]["WrappedIdempotencyKeyReused"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1WebhooksByIdTest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "invoice.settled"
                 *     }
                 */
                "application/json": {
                    /** @description The event to deliver a sample of. */
                    event: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Delivery"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            409: components["responses"]["WrappedInvalidStateOrIdempotencyInProgress"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            422: components["responses"]["WrappedIdempotencyKeyReused"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1WebhooksByIdDeliveries: {
        parameters: {
            query?: {
                state?: "pending" | "delivered" | "failed" | "cancelled";
                /** @description The same as `state`. */
                status?: "pending" | "delivered" | "failed" | "cancelled";
                /** @description The most items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Delivery"][];
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailableOrServiceUnavailable"];
        };
    };
    getV1DeliveriesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            webhookId: string;
                            /** @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f */
                            eventId: string;
                            type: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                            state: "pending" | "delivered" | "failed" | "cancelled";
                            isTest: boolean;
                            attempts: {
                                /** @example 1 */
                                attempt: number;
                                /**
                                 * Format: date-time
                                 * @example 2026-05-01T12:00:00.000Z
                                 */
                                startedAt: string;
                                /** @example 41 */
                                durationMs: number;
                                statusCode: number | null;
                                error: string | null;
                                responseExcerpt: string | null;
                            }[];
                            nextAttemptAt: string | null;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            createdAt: string;
                            payload: {
                                /** @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f */
                                id: string;
                                type: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                                /**
                                 * Format: date-time
                                 * @example 2026-05-01T12:00:00.000Z
                                 */
                                createdAt: string;
                                /** @example 3 */
                                sequence: number;
                                data: {
                                    [key: string]: unknown;
                                };
                            } | null;
                        };
                    };
                };
            };
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1DeliveriesByIdRedeliver: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Delivery"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            409: components["responses"]["WrappedInvalidStateOrLimitReached"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getApiWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        /** @example 1 */
                        total: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "events": [
                 *         "invoice.settled"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Where events are delivered: an http or https URL without credentials that the service can reach. */
                    url: string;
                    /** @description The events to deliver. */
                    events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description Whether events are delivered; false pauses the webhook. Events that occur during a pause are not delivered later. */
                    active?: boolean;
                    /** @description The secret that signs deliveries: any text of 16 to 256 characters. Generated by default. */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example https://example.com/hooks */
                        url: string;
                        events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                        active: boolean;
                        disabledReason: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        updatedAt: string;
                        /** @example whsec_… */
                        secret?: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["LimitReachedOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiWebhooksById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteApiWebhooksById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the answer has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    patchApiWebhooksById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "active": true
                 *     }
                 */
                "application/json": {
                    /** @description Where events are delivered: an http or https URL without credentials that the service can reach. */
                    url?: string;
                    /** @description The events to deliver. */
                    events?: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                    /** @description Whether events are delivered; false pauses the webhook. Events that occur during a pause are not delivered later. */
                    active?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiWebhooksByIdRotateSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example https://example.com/hooks */
                        url: string;
                        events: ("invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed")[];
                        active: boolean;
                        disabledReason: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        createdAt: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        updatedAt: string;
                        /** @example whsec_… */
                        secret: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        previousSecretUntil: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiWebhooksByIdTest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "invoice.settled"
                 *     }
                 */
                "application/json": {
                    /** @description The event to deliver a sample of. */
                    event: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiWebhooksByIdDeliveries: {
        parameters: {
            query?: {
                state?: "pending" | "delivered" | "failed" | "cancelled";
                /** @description The same as `state`. */
                status?: "pending" | "delivered" | "failed" | "cancelled";
                /** @description The most items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    getApiDeliveriesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        webhookId: string;
                        /** @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f */
                        eventId: string;
                        type: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                        state: "pending" | "delivered" | "failed" | "cancelled";
                        isTest: boolean;
                        attempts: {
                            /** @example 1 */
                            attempt: number;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            startedAt: string;
                            /** @example 41 */
                            durationMs: number;
                            statusCode: number | null;
                            error: string | null;
                            responseExcerpt: string | null;
                        }[];
                        nextAttemptAt: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        createdAt: string;
                        payload: {
                            /** @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f */
                            id: string;
                            type: "invoice.created" | "invoice.sent" | "invoice.paid" | "invoice.settled" | "invoice.completed" | "invoice.failed" | "settlement.confirmed" | "settlement.failed" | "credit_note.issued" | "refund.confirmed" | "refund.failed" | "mandate.proposed" | "mandate.signed_by_proposer" | "mandate.signed_by_both" | "mandate.completed" | "mandate.disputed";
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            createdAt: string;
                            /** @example 3 */
                            sequence: number;
                            data: {
                                [key: string]: unknown;
                            };
                        } | null;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiDeliveriesByIdRedeliver: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidStateOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        /** @example 1 */
                        total: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Billing agent",
                 *       "scopes": [
                 *         "invoices:read",
                 *         "invoices:write"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description What the key is for, as lists show it. */
                    name?: string;
                    /** @description What the key may do, each a permission or the name of a preset. */
                    scopes?: ("invoices:read" | "invoices:write" | "budgets:read" | "budgets:write" | "webhooks:read" | "webhooks:write" | "mandates:read" | "mandates:write" | "dashboard:read" | "full" | "read_only" | "webhook_only")[];
                    /** @description A set of permissions that the key has in addition to `scopes`. */
                    preset?: "full" | "read_only" | "webhook_only";
                    /** @description When the key expires: an ISO 8601 date, meaning its end (`23:59:59.999Z`), or a timestamp with Z or an offset. */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example Billing agent */
                        name: string;
                        /**
                         * @description How the key starts and ends.
                         * @example inv_…1f3a
                         */
                        hint: string;
                        scopes: ("invoices:read" | "invoices:write" | "budgets:read" | "budgets:write" | "webhooks:read" | "webhooks:write" | "mandates:read" | "mandates:write" | "dashboard:read" | "admin")[];
                        expiresAt: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        createdAt: string;
                        revokedAt: string | null;
                        lastUsedAt: string | null;
                        /** @example inv_… */
                        key?: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["LimitReachedOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteApiKeysById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the answer has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiAccountProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putApiAccountProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Grace Example GmbH",
                 *       "country": "DE",
                 *       "website": "https://example.com"
                 *     }
                 */
                "application/json": {
                    /** @description The name under which the account sells. */
                    name?: string | null;
                    /** @description The postal address without the country, in several lines. */
                    address?: string | null;
                    /** @description An ISO 3166 code of two letters such as `DE`. */
                    country?: string | null;
                    /** @description The VAT registration number, such as `DE123456789`. */
                    vat?: string | null;
                    /** @description Where payers can ask. */
                    email?: string | null;
                    /** @description The website of the seller. */
                    website?: string | null;
                    /** @description A PNG (at most 2,048 pixels wide and high) or an SVG of at most 64 KiB, as a base64 data URL. It is drawn anew, as a PNG of at most 512 × 256 pixels. An SVG has shapes, gradients and clipping only, and texts as paths. One that takes more than 3 seconds of computing, or comes while another of the account is drawn, is 409. */
                    logo?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getV1ReceiptsById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Receipt"];
                    };
                };
            };
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1PublicReceiptsByIdBundle: {
        parameters: {
            query?: {
                /** @description Names of the claims to show, separated by commas. The others are hidden. */
                show?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What its members mean is in docs/receipts.md. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptBundle"];
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            404: components["responses"]["WrappedNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1Mandates: {
        parameters: {
            query?: {
                status?: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                /** @description The same as `status`. */
                state?: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                /** @description The most items on a page. */
                limit?: number;
                /** @description The number of the page; the first is 1. */
                page?: number;
                /** @description The `nextCursor` of the previous page; replaces `page`. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ListedMandate"][];
                        /** @example 1 */
                        total: number;
                        /** @example 1 */
                        page: number;
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailableOrServiceUnavailable"];
        };
    };
    postV1Mandates: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
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
                "application/json": {
                    /** @description Who proposes and signs first: an agent id of your choice. */
                    proposer: string;
                    /** @description Who signs second: an agent id of your choice. */
                    counterparty: string;
                    /** @description What work is authorised, in words, such as `Summarise 100 documents`. It is signed. */
                    scope: string;
                    /** @description What is agreed: a JSON object of at most 64 KiB. It is signed. `amount` (a decimal) and `currency` together limit what may be paid under the mandate. */
                    terms: {
                        [key: string]: unknown;
                    };
                    /** @description When the mandate ends: an ISO 8601 timestamp in the future with Z or an offset, or a date, whose last millisecond (UTC) is meant. After that it cannot be signed, completed or disputed. */
                    expiry: string;
                    /** @description Your own data: a JSON object of at most 64 KiB. It is not signed. */
                    context?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            mandate_id: string;
                            status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            /** @constant */
                            proposer_signature_required: true;
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            expires_at: string;
                            /**
                             * @description Absent if there are none. `amount_unreadable`: `terms.amount` is not a positive amount with at most six decimals; with a currency, nothing can be paid under the mandate. `amount_without_currency`: the amount limits nothing. `currency_unknown`: nothing can be paid under the mandate.
                             * @example [
                             *       "amount_unreadable"
                             *     ]
                             */
                            warnings?: string[];
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequestOrMissingFieldOrInvalidField"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            409: components["responses"]["WrappedIdempotencyInProgress"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            422: components["responses"]["WrappedIdempotencyKeyReused"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1MandatesCanonicalize: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                "application/json": {
                    /** @description The id of the mandate, from the answer to its proposal. */
                    id: string;
                    /** @description Who proposes and signs first: an agent id of your choice. */
                    proposer_agent_id: string;
                    /** @description Who signs second: an agent id of your choice. */
                    counterparty_agent_id: string;
                    /** @description What work is authorised, in words, such as `Summarise 100 documents`. It is signed. */
                    scope: string;
                    /** @description What is agreed: a JSON object of at most 64 KiB. It is signed. `amount` (a decimal) and `currency` together limit what may be paid under the mandate. */
                    terms: {
                        [key: string]: unknown;
                    };
                    /** @description When the mandate ends: an ISO 8601 timestamp with Z or an offset. It is signed in UTC, to the millisecond. */
                    expires_at: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description The text whose UTF-8 bytes are signed. */
                            canonical: string;
                            /**
                             * @description 0x and the SHA-256 of the canonical bytes.
                             * @example 0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7
                             */
                            hash: string;
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1MandatesById: {
        parameters: {
            query?: {
                /** @description Answer once every transition so far is on chain, or after 30 seconds; sooner if the process stops. */
                wait?: "anchored";
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Mandate"];
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1MandatesByIdSign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signer": "proposer",
                 *       "signature": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"
                 *     }
                 */
                "application/json": {
                    /** @description As whom to sign; the proposer signs first. */
                    signer: "proposer" | "counterparty";
                    /** @description 64 hex digits: the HMAC-SHA256 of the canonical bytes under the signing secret of the account. */
                    signature: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            mandate_id: string;
                            status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            drs_receipt_id: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequestOrInvalidSignerOrMissingSignature"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedInvalidSignatureOrForbidden"];
            404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            409: components["responses"]["WrappedInvalidTransition"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1MandatesByIdComplete: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "triggered_by": "agent_beta"
                 *     }
                 */
                "application/json": {
                    /** @description Who or what caused this, recorded with the transition. Default: `system`. */
                    triggered_by?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            mandate_id: string;
                            status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            completed_at: string;
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequest"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            409: components["responses"]["WrappedInvalidTransition"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    postV1MandatesByIdDispute: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "triggered_by": "agent_alpha",
                 *       "reason": "Half of the summaries are missing"
                 *     }
                 */
                "application/json": {
                    /** @description Who or what caused this, recorded with the transition. Default: `system`. */
                    triggered_by?: string;
                    /** @description What went wrong, for people to read. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @example mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                            mandate_id: string;
                            status: "proposed" | "signed_by_proposer" | "signed_by_both" | "in_progress" | "completed" | "disputed" | "expired";
                            /**
                             * Format: date-time
                             * @example 2026-05-01T12:00:00.000Z
                             */
                            disputed_at: string;
                            reason: string;
                        };
                    };
                };
            };
            400: components["responses"]["WrappedInvalidRequestOrMissingReason"];
            401: components["responses"]["WrappedUnauthorized"];
            403: components["responses"]["WrappedForbidden"];
            404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            409: components["responses"]["WrappedInvalidTransition"];
            413: components["responses"]["WrappedPayloadTooLarge"];
            415: components["responses"]["WrappedUnsupportedMediaType"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getV1PublicMandatesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicMandate"];
                };
            };
            401: components["responses"]["WrappedUnauthorized"];
            404: components["responses"]["WrappedMandateNotFoundOrNotFound"];
            429: components["responses"]["WrappedRateLimited"];
            500: components["responses"]["WrappedInternalError"];
            503: components["responses"]["WrappedServiceUnavailable"];
        };
    };
    getApiBudget: {
        parameters: {
            query?: {
                /** @description The most items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Budget"][];
                        /** @example 10 */
                        limit: number;
                        hasMore: boolean;
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiBudgetByAgentId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Budget"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putApiBudgetByAgentId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limit": 50000,
                 *       "period": "month",
                 *       "currency": "USD",
                 *       "perTransactionLimit": 5000
                 *     }
                 */
                "application/json": {
                    /** @description The most the agent may spend in a period: an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY), 0 or more. A new budget needs it. */
                    limit?: number;
                    /** @description The most that one payment may take: an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY), 0 or more; null for no limit. */
                    perTransactionLimit?: number | null;
                    /** @description How often the budget starts again, in UTC; `total` never does. Default for a new budget: `month`. */
                    period?: "day" | "week" | "month" | "total";
                    /** @description The currency of the limits: an ISO 4217 code, or `USDC`. Default for a new budget: `USD`. To change it, send the limits too. */
                    currency?: string;
                    /** @description Whether the agent may spend anything. */
                    active?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Budget"];
                    };
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiBudgetCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description Makes the request safe to retry: for 24 hours the same key and body give the same answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agentId": "agent-7",
                 *       "amount": 1250,
                 *       "currency": "USD",
                 *       "reserve": true
                 *     }
                 */
                "application/json": {
                    /** @description The agent that wants to spend. */
                    agentId: string;
                    /** @description How much it wants to spend: an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY), 1 or more. */
                    amount: number;
                    /** @description The currency of the amount. It must be that of the budget, which is the default. */
                    currency?: string;
                    /** @description Whether to hold the amount for 60 seconds, to be committed or released. Default: false. */
                    reserve?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BudgetAllowance"];
                    };
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiBudgetReservationsByIdCommit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ClosedReservation"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiBudgetReservationsByIdRelease: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ClosedReservation"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiBooks: {
        parameters: {
            query?: {
                /** @description A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`. */
                period?: string;
                /** @description Instead of `period`: the first day, UTC. */
                from?: string;
                /** @description The day after the last one, UTC. */
                to?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
        };
    };
    getApiX402Proxy: {
        parameters: {
            query: {
                /** @description Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body. */
                url: string;
            };
            header?: {
                /** @description The agent whose budget pays. */
                "X-Agent-Id"?: string;
                /** @description The mandate that it is bought under. */
                "X-Mandate-Id"?: string;
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description With a payment: the invoice that it pays. */
                "X-Invoice-Id"?: string;
                /** @description Names the purchase: repeats get what it has bought. */
                "Idempotency-Key"?: string;
                /** @description The country whose VAT is recorded: ISO 3166, two letters. */
                "X-Invoice-Country"?: string;
                /** @description The buyer, as documents show it. Like the others, it may be percent-encoded. */
                "X-Invoice-Company-Name"?: string;
                /** @description The VAT registration number of the buyer. */
                "X-Invoice-Company-VAT"?: string;
                /** @description The postal address of the buyer. */
                "X-Invoice-Company-Address"?: string;
                /** @description The e-mail address of the buyer. */
                "X-Invoice-Contact-Email"?: string;
                /** @description The buyer’s own number of the order. */
                "X-Invoice-PO-Number"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    "X-Invoice-Warnings": components["headers"]["X-Invoice-Warnings"];
                    "X-Receipt-Id": components["headers"]["X-Receipt-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What the upstream demands: the members of its own body, and beside them `invoice`. `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamDemand"] | components["schemas"]["Error"];
                };
            };
            403: components["responses"]["AgentMismatchOrMandateLimitExceededOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["UpstreamFailedOrUpstreamUnsupported"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
            504: components["responses"]["UpstreamTimeout"];
            /** @description The upstream’s own answer. The upstream may also send one of the statuses above. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    putApiX402Proxy: {
        parameters: {
            query: {
                /** @description Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body. */
                url: string;
            };
            header?: {
                /** @description The agent whose budget pays. */
                "X-Agent-Id"?: string;
                /** @description The mandate that it is bought under. */
                "X-Mandate-Id"?: string;
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description With a payment: the invoice that it pays. */
                "X-Invoice-Id"?: string;
                /** @description Names the purchase: repeats get what it has bought. */
                "Idempotency-Key"?: string;
                /** @description The country whose VAT is recorded: ISO 3166, two letters. */
                "X-Invoice-Country"?: string;
                /** @description The buyer, as documents show it. Like the others, it may be percent-encoded. */
                "X-Invoice-Company-Name"?: string;
                /** @description The VAT registration number of the buyer. */
                "X-Invoice-Company-VAT"?: string;
                /** @description The postal address of the buyer. */
                "X-Invoice-Company-Address"?: string;
                /** @description The e-mail address of the buyer. */
                "X-Invoice-Contact-Email"?: string;
                /** @description The buyer’s own number of the order. */
                "X-Invoice-PO-Number"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    "X-Invoice-Warnings": components["headers"]["X-Invoice-Warnings"];
                    "X-Receipt-Id": components["headers"]["X-Receipt-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What the upstream demands: the members of its own body, and beside them `invoice`. `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamDemand"] | components["schemas"]["Error"];
                };
            };
            403: components["responses"]["AgentMismatchOrMandateLimitExceededOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["UpstreamFailedOrUpstreamUnsupported"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
            504: components["responses"]["UpstreamTimeout"];
            /** @description The upstream’s own answer. The upstream may also send one of the statuses above. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    postApiX402Proxy: {
        parameters: {
            query: {
                /** @description Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body. */
                url: string;
            };
            header?: {
                /** @description The agent whose budget pays. */
                "X-Agent-Id"?: string;
                /** @description The mandate that it is bought under. */
                "X-Mandate-Id"?: string;
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description With a payment: the invoice that it pays. */
                "X-Invoice-Id"?: string;
                /** @description Names the purchase: repeats get what it has bought. */
                "Idempotency-Key"?: string;
                /** @description The country whose VAT is recorded: ISO 3166, two letters. */
                "X-Invoice-Country"?: string;
                /** @description The buyer, as documents show it. Like the others, it may be percent-encoded. */
                "X-Invoice-Company-Name"?: string;
                /** @description The VAT registration number of the buyer. */
                "X-Invoice-Company-VAT"?: string;
                /** @description The postal address of the buyer. */
                "X-Invoice-Company-Address"?: string;
                /** @description The e-mail address of the buyer. */
                "X-Invoice-Contact-Email"?: string;
                /** @description The buyer’s own number of the order. */
                "X-Invoice-PO-Number"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    "X-Invoice-Warnings": components["headers"]["X-Invoice-Warnings"];
                    "X-Receipt-Id": components["headers"]["X-Receipt-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What the upstream demands: the members of its own body, and beside them `invoice`. `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamDemand"] | components["schemas"]["Error"];
                };
            };
            403: components["responses"]["AgentMismatchOrMandateLimitExceededOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["UpstreamFailedOrUpstreamUnsupported"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
            504: components["responses"]["UpstreamTimeout"];
            /** @description The upstream’s own answer. The upstream may also send one of the statuses above. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    deleteApiX402Proxy: {
        parameters: {
            query: {
                /** @description Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body. */
                url: string;
            };
            header?: {
                /** @description The agent whose budget pays. */
                "X-Agent-Id"?: string;
                /** @description The mandate that it is bought under. */
                "X-Mandate-Id"?: string;
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description With a payment: the invoice that it pays. */
                "X-Invoice-Id"?: string;
                /** @description Names the purchase: repeats get what it has bought. */
                "Idempotency-Key"?: string;
                /** @description The country whose VAT is recorded: ISO 3166, two letters. */
                "X-Invoice-Country"?: string;
                /** @description The buyer, as documents show it. Like the others, it may be percent-encoded. */
                "X-Invoice-Company-Name"?: string;
                /** @description The VAT registration number of the buyer. */
                "X-Invoice-Company-VAT"?: string;
                /** @description The postal address of the buyer. */
                "X-Invoice-Company-Address"?: string;
                /** @description The e-mail address of the buyer. */
                "X-Invoice-Contact-Email"?: string;
                /** @description The buyer’s own number of the order. */
                "X-Invoice-PO-Number"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    "X-Invoice-Warnings": components["headers"]["X-Invoice-Warnings"];
                    "X-Receipt-Id": components["headers"]["X-Receipt-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What the upstream demands: the members of its own body, and beside them `invoice`. `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamDemand"] | components["schemas"]["Error"];
                };
            };
            403: components["responses"]["AgentMismatchOrMandateLimitExceededOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["UpstreamFailedOrUpstreamUnsupported"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
            504: components["responses"]["UpstreamTimeout"];
            /** @description The upstream’s own answer. The upstream may also send one of the statuses above. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    optionsApiX402Proxy: {
        parameters: {
            query: {
                /** @description Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body. */
                url: string;
            };
            header?: {
                /** @description The agent whose budget pays. */
                "X-Agent-Id"?: string;
                /** @description The mandate that it is bought under. */
                "X-Mandate-Id"?: string;
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description With a payment: the invoice that it pays. */
                "X-Invoice-Id"?: string;
                /** @description Names the purchase: repeats get what it has bought. */
                "Idempotency-Key"?: string;
                /** @description The country whose VAT is recorded: ISO 3166, two letters. */
                "X-Invoice-Country"?: string;
                /** @description The buyer, as documents show it. Like the others, it may be percent-encoded. */
                "X-Invoice-Company-Name"?: string;
                /** @description The VAT registration number of the buyer. */
                "X-Invoice-Company-VAT"?: string;
                /** @description The postal address of the buyer. */
                "X-Invoice-Company-Address"?: string;
                /** @description The e-mail address of the buyer. */
                "X-Invoice-Contact-Email"?: string;
                /** @description The buyer’s own number of the order. */
                "X-Invoice-PO-Number"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    "X-Invoice-Warnings": components["headers"]["X-Invoice-Warnings"];
                    "X-Receipt-Id": components["headers"]["X-Receipt-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What the upstream demands: the members of its own body, and beside them `invoice`. `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamDemand"] | components["schemas"]["Error"];
                };
            };
            403: components["responses"]["AgentMismatchOrMandateLimitExceededOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["UpstreamFailedOrUpstreamUnsupported"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
            504: components["responses"]["UpstreamTimeout"];
            /** @description The upstream’s own answer. The upstream may also send one of the statuses above. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    patchApiX402Proxy: {
        parameters: {
            query: {
                /** @description Absolute, percent-encoded. The line and the headers of a request may have 16 KiB together; more is 431 without a body. */
                url: string;
            };
            header?: {
                /** @description The agent whose budget pays. */
                "X-Agent-Id"?: string;
                /** @description The mandate that it is bought under. */
                "X-Mandate-Id"?: string;
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description With a payment: the invoice that it pays. */
                "X-Invoice-Id"?: string;
                /** @description Names the purchase: repeats get what it has bought. */
                "Idempotency-Key"?: string;
                /** @description The country whose VAT is recorded: ISO 3166, two letters. */
                "X-Invoice-Country"?: string;
                /** @description The buyer, as documents show it. Like the others, it may be percent-encoded. */
                "X-Invoice-Company-Name"?: string;
                /** @description The VAT registration number of the buyer. */
                "X-Invoice-Company-VAT"?: string;
                /** @description The postal address of the buyer. */
                "X-Invoice-Company-Address"?: string;
                /** @description The e-mail address of the buyer. */
                "X-Invoice-Contact-Email"?: string;
                /** @description The buyer’s own number of the order. */
                "X-Invoice-PO-Number"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    "X-Invoice-Warnings": components["headers"]["X-Invoice-Warnings"];
                    "X-Receipt-Id": components["headers"]["X-Receipt-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What the upstream demands: the members of its own body, and beside them `invoice`. `BUDGET_EXCEEDED`: The amount is more than the budget has left; `details` holds the numbers. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    "X-Invoice-Id": components["headers"]["X-Invoice-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamDemand"] | components["schemas"]["Error"];
                };
            };
            403: components["responses"]["AgentMismatchOrMandateLimitExceededOrForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["MandateNotActiveOrMandateCurrencyMismatchOrIdempotencyInProgressOrInvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["UpstreamFailedOrUpstreamUnsupported"];
            503: components["responses"]["ServiceUnavailableOrServiceUnavailable"];
            504: components["responses"]["UpstreamTimeout"];
            /** @description The upstream’s own answer. The upstream may also send one of the statuses above. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    getApiX402Invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @constant */
                        capability: "invoice";
                        /** @description As of `POST /v1/invoices`. */
                        result: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            id: string;
                        };
                    };
                };
            };
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementPending"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            /** @description What must be paid, as x402 v1 has it. The header `PAYMENT-REQUIRED` says it as v2 does, on all networks. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentRequired"];
                };
            };
            409: components["responses"]["PaymentReusedOrIdempotencyInProgress"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiX402Invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead, except `amount`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "recipient": "Ada Example",
                 *       "amount": 12.5,
                 *       "currency": "USDC"
                 *     }
                 */
                "application/json": {
                    /** @description The name shown as the seller. Whatever it is, the operator is paid. */
                    issuer?: string;
                    /** @description The payer. */
                    recipient?: string;
                    /** @description The e-mail address of the payer. */
                    email?: string;
                    /** @description a decimal amount with at most 6 places, as a number or a string; 0.01 where it is left out */
                    amount?: number | string;
                    /** @description An ISO 4217 code, or USDC, the default. */
                    currency?: string;
                    /** @description What it is for. */
                    description?: string;
                    /** @description The payment, where it is in no header: an object, its JSON, or base64 of that. */
                    x_payment?: string | {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @constant */
                        capability: "invoice";
                        /** @description As of `POST /v1/invoices`. */
                        result: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            id: string;
                        };
                    };
                };
            };
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementPending"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            /** @description What must be paid, as x402 v1 has it. The header `PAYMENT-REQUIRED` says it as v2 does, on all networks. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentRequired"];
                };
            };
            409: components["responses"]["PaymentReusedOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiX402Settle: {
        parameters: {
            query?: never;
            header?: {
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @constant */
                        capability: "settle";
                        result: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            invoiceId: string;
                            status: string;
                            settled: boolean;
                            txHash: string | null;
                        };
                    };
                };
            };
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementPending"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What must be paid, as x402 v1 has it. The header `PAYMENT-REQUIRED` says it as v2 does, on all networks. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentRequired"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["PaymentReusedOrIdempotencyInProgress"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiX402Settle: {
        parameters: {
            query?: never;
            header?: {
                /** @description The payment, as clients of x402 v2 make it: base64 of JSON. */
                "PAYMENT-SIGNATURE"?: string;
                /** @description The payment, as clients of x402 v1 make it: base64 of JSON. */
                "X-PAYMENT"?: string;
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "invoice_id": "01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21"
                 *     }
                 */
                "application/json": {
                    /** @description The id of an invoice, of whichever account: a UUID. */
                    invoice_id: string;
                    /** @description The payment, where it is in no header: an object, its JSON, or base64 of that. */
                    x_payment?: string | {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @constant */
                        capability: "settle";
                        result: {
                            /**
                             * Format: uuid
                             * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                             */
                            invoiceId: string;
                            status: string;
                            settled: boolean;
                            txHash: string | null;
                        };
                    };
                };
            };
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementPending"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description What must be paid, as x402 v1 has it. The header `PAYMENT-REQUIRED` says it as v2 does, on all networks. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentRequired"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["PaymentReusedOrIdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiTaxCalculate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "countryCode": "DE",
                 *       "currency": "EUR"
                 *     }
                 */
                "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY) */
                    amount: number;
                    /** @description The country whose VAT applies: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`. */
                    countryCode: string;
                    /** @description The currency of the amount: an ISO 4217 code, or `USDC`. Default: `USD`. */
                    currency?: string;
                    /** @description Which of the country’s rates. Default: `standard`. */
                    rateType?: "standard" | "reduced";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Tax"];
                    };
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiV1TaxCalculate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A member that may be left out may be null instead. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 1000,
                 *       "countryCode": "DE",
                 *       "currency": "EUR"
                 *     }
                 */
                "application/json": {
                    /** @description an integer of minor units: 10⁻⁶ of a USDC, else the smallest unit of the currency (cents of a EUR, whole JPY) */
                    amount: number;
                    /** @description The country whose VAT applies: an ISO 3166 code of two letters such as `DE`, one of `GET /api/v1/tax/rates`. */
                    countryCode: string;
                    /** @description The currency of the amount: an ISO 4217 code, or `USDC`. Default: `USD`. */
                    currency?: string;
                    /** @description Which of the country’s rates. Default: `standard`. */
                    rateType?: "standard" | "reduced";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Tax"];
                    };
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAmount"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiV1TaxRates: {
        parameters: {
            query?: {
                country?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["TaxRates"][] | components["schemas"]["TaxRates"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postApiV1AuthToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DashboardToken"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiV1DashboardTaxSummary: {
        parameters: {
            query?: {
                /** @description A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`. */
                period?: string;
                /** @description Instead of `period`: the first day, UTC. */
                from?: string;
                /** @description The day after the last one, UTC. */
                to?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["TaxSummary"];
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiV1DashboardOverview: {
        parameters: {
            query?: {
                /** @description A year, a quarter or a month, UTC: `2026`, `2026-Q3` or `2026-10`. */
                period?: string;
                /** @description Instead of `period`: the first day, UTC. */
                from?: string;
                /** @description The day after the last one, UTC. */
                to?: string;
            };
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Overview"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postAgentToolsMcp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "ping"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The version of JSON-RPC.
                     * @constant
                     */
                    jsonrpc: "2.0";
                    /** @description Identifies the request in its answer. Without it the message is a notification. */
                    id?: string | number | null;
                    /**
                     * @description What to do: `initialize`, `ping`, `tools/list` or `tools/call`.
                     * @example tools/list
                     */
                    method: string;
                    /** @description For `tools/call`: `name` and `arguments`. */
                    params?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        id: string | number | null;
                        result?: {
                            [key: string]: unknown;
                        };
                        error?: {
                            code: number;
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Done; the answer has no body. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["RpcInvalidRequest"];
            401: components["responses"]["RpcUnauthorized"];
            403: components["responses"]["RpcForbidden"];
            413: components["responses"]["RpcPayloadTooLarge"];
            415: components["responses"]["RpcUnsupportedMediaType"];
            429: components["responses"]["RpcRateLimited"];
            500: components["responses"]["RpcInternalError"];
            503: components["responses"]["RpcServiceUnavailable"];
        };
    };
    "getAgentToolsSectionsPricing.json": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        section_id: "pricing";
                        /** @example 1.0 */
                        version: string;
                        /** @constant */
                        model: "pay_per_call";
                        tiers: {
                            /** @example pro */
                            name: string;
                            /** @example 600 */
                            requests_per_minute: number;
                            /** @example 50000 */
                            requests_per_day: number;
                            note?: string;
                        }[];
                        tools: {
                            /** @example service_create_invoice */
                            name: string;
                            /** @example 0.01 */
                            price: string;
                            /** @constant */
                            currency: "USDC";
                            payment: "none" | "x402";
                        }[];
                    };
                };
            };
            /** @description The version you have is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "getAgentToolsSectionsTrust_signals.json": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in our logs; generated if it is missing. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the version you have: if it is current, the answer is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        section_id: "trust_signals";
                        /** @example 1.0 */
                        version: string;
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        generated_at: string;
                        metrics: {
                            /** @example 1204 */
                            drs_receipts_issued: number;
                            /** @example 1204 */
                            mandates_anchored: number;
                            /** @example 1204 */
                            invoices_settled: number;
                        };
                        /** @description What anybody can count on chain: the receipts of the batches that `sender` has had `contract` emit, less those that it revoked, and the different mandates. */
                        anchors: {
                            /** @example 8453 */
                            chain_id: number;
                            /** @example 0xc0ffee254729296a45a3885639ac7e10f9d54979 */
                            contract: string;
                            /** @example 0x90f79bf6eb2c4f870365e785982e1f101e93b906 */
                            sender: string;
                            /**
                             * @description Counted up to this block, all of which is final.
                             * @example 23000000
                             */
                            block_number: number;
                            /** @example 1204 */
                            receipts: number;
                            /** @example 1204 */
                            mandates: number;
                        }[];
                        partnerships: unknown[];
                    };
                };
            };
            /** @description The version you have is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    onInvoiceCreated: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "invoice.created";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["Invoice"] | components["schemas"]["DecimalInvoice"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceSent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "invoice.sent";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        sentAt: string;
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        status: "PENDING" | "SETTLED" | "FAILED";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        sentAt: string;
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoicePaid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "invoice.paid";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        paymentDetails: components["schemas"]["PaymentDetails"];
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        status: "PENDING" | "SETTLED" | "FAILED";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        paymentDetails: components["schemas"]["PaymentDetails"];
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceSettled: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "invoice.settled";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        paymentDetails: components["schemas"]["PaymentDetails"];
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        status: "PENDING" | "SETTLED" | "FAILED";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        paymentDetails: components["schemas"]["PaymentDetails"];
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceCompleted: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "invoice.completed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        completedAt: string;
                        /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        receiptId: string;
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        status: "PENDING" | "SETTLED" | "FAILED";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        /**
                         * Format: date-time
                         * @example 2026-05-01T12:00:00.000Z
                         */
                        completedAt: string;
                        /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        receiptId: string;
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceFailed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "invoice.failed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        status: "draft" | "sent" | "paid" | "settled" | "completed" | "failed";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        failureReason: "voided" | "expired" | "credited";
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        status: "PENDING" | "SETTLED" | "FAILED";
                        /** @description `purchase` for what the account buys through the x402 proxy, `sale` for everything else. */
                        kind: "sale" | "purchase";
                        failureReason: "voided" | "expired" | "credited";
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSettlementConfirmed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "settlement.confirmed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /** @example stl_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        settlementId: string;
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        /** @example 5 */
                        confirmations: number;
                    } | {
                        /** @example stl_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        settlementId: string;
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        /** @example 5 */
                        confirmations: number;
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSettlementFailed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "settlement.failed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /** @example stl_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        settlementId: string;
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        /** @constant */
                        failureReason: "reorged";
                    } | {
                        /** @example stl_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        settlementId: string;
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        /** @constant */
                        failureReason: "reorged";
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCreditNoteIssued: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "credit_note.issued";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["CreditNote"] | components["schemas"]["DecimalCreditNote"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRefundConfirmed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "refund.confirmed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example CN-2026-0001 */
                        creditNoteNumber: string;
                        status: "issued" | "refunded";
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        refund: components["schemas"]["Refund"];
                        /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        receiptId: string;
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example CN-2026-0001 */
                        creditNoteNumber: string;
                        status: "issued" | "refunded";
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        refund: components["schemas"]["Refund"];
                        /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        receiptId: string;
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRefundFailed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "refund.failed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example CN-2026-0001 */
                        creditNoteNumber: string;
                        status: "issued" | "refunded";
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example INV-2026-0001 */
                        invoiceNumber: string;
                        refund: components["schemas"]["Refund"];
                        /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        receiptId: string;
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        /** @constant */
                        failureReason: "reorged";
                    } | {
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        id: string;
                        /** @example CN-2026-0001 */
                        creditNoteNumber: string;
                        status: "issued" | "refunded";
                        /**
                         * Format: uuid
                         * @example 01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21
                         */
                        invoiceId: string;
                        /** @example 1 */
                        invoiceNumber: number;
                        refund: components["schemas"]["Refund"];
                        /** @example drs_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21 */
                        receiptId: string;
                        /** @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e */
                        txHash: string;
                        /** @constant */
                        failureReason: "reorged";
                    };
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMandateProposed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "mandate.proposed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["ListedMandate"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMandateSignedByProposer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "mandate.signed_by_proposer";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["ListedMandate"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMandateSignedByBoth: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "mandate.signed_by_both";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["ListedMandate"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMandateCompleted: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "mandate.completed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["ListedMandate"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMandateDisputed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Sent only with test events, whose invoice, credit note or mandate does not exist. */
                "X-Service-Test"?: "true";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The same in every attempt. Store it to detect repetitions.
                     * @example 5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f
                     */
                    id: string;
                    /** @constant */
                    type: "mandate.disputed";
                    /**
                     * Format: date-time
                     * @example 2026-05-01T12:00:00.000Z
                     */
                    createdAt: string;
                    /**
                     * @description Increases with each event of an invoice, credit note or mandate, with gaps. Events may arrive out of order.
                     * @example 4
                     */
                    sequence: number;
                    data: components["schemas"]["ListedMandate"];
                };
            };
        };
        responses: {
            /** @description Accepted. After any other answer the delivery is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
