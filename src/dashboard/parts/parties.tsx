import { useEffect, useState } from 'react'
import { documentWarnings } from '../api.ts'
import { short } from '../format.ts'
import { objection } from '../objections.ts'
import { Card, Copy, Fact } from './parts.tsx'

type Trader = { readonly address: string | null; readonly vat: string | null }

/** The sides of an invoice, for its page. */
export type Sides = {
  readonly id: string
  readonly buyer: Trader
  readonly seller: Trader & { readonly name: string | null; readonly wallet: string | null }
}

/** What an invoice's documents say of its sides beside the buyer's name, and what is missing. */
export function Parties({ invoice: { id, buyer, seller } }: { invoice: Sides }) {
  return (
    <Card title="Parties">
      <dl>
        <Fact name="Seller">{seller.name ?? '—'}</Fact>
        {seller.wallet && (
          <Fact name="Wallet">
            <code title={seller.wallet}>{short(seller.wallet)}</code>{' '}
            <Copy text={seller.wallet} label="Copy the seller’s wallet" />
          </Fact>
        )}
        <TraderFacts whose="Seller" trader={seller} />
        <TraderFacts whose="Buyer" trader={buyer} />
        <Objections id={id} />
      </dl>
    </Card>
  )
}

function TraderFacts({ whose, trader: { address, vat } }: { whose: string; trader: Trader }) {
  return (
    <>
      {address && (
        <Fact name={`${whose}’s address`}>
          <span className="lines">{address}</span>
        </Fact>
      )}
      {vat && <Fact name={`${whose}’s VAT id`}>{vat}</Fact>}
    </>
  )
}

function Objections({ id }: { id: string }) {
  const [codes, setCodes] = useState<readonly string[]>([])
  useEffect(() => {
    // An aside: the page says what else it has to say without it.
    documentWarnings(`/api/invoices/${id}/xml`).then(setCodes, () => {})
  }, [id])
  if (codes.length === 0) return null
  return <Fact name="A tax office might object">{codes.map(objection).join(', ')}</Fact>
}
