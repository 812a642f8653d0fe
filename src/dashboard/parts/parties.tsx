import { useEffect, useState } from 'react'
import { documentWarnings } from '../api.ts'
import { warningText } from '../format.ts'
import { Card, CodeFact, Fact } from './parts.tsx'

type Trader = { readonly address: string | null; readonly vat: string | null }

export type Sides = {
  readonly id: string
  readonly kind: string
  readonly buyer: Trader & { readonly companyName: string | null; readonly email: string | null }
  readonly seller: Trader & { readonly name: string | null; readonly wallet: string | null }
}

export function Parties({ invoice: { id, kind, buyer, seller } }: { invoice: Sides }) {
  return (
    <Card title="Parties">
      <dl>
        <Fact name="Seller">{seller.name ?? '—'}</Fact>
        {seller.wallet && (
          <CodeFact name="Wallet" text={seller.wallet} copy="Copy the seller’s wallet" />
        )}
        <TraderFacts whose="Seller" trader={seller} />
        {kind === 'purchase' && <Fact name="Buyer">{buyer.companyName ?? '—'}</Fact>}
        <TraderFacts whose="Buyer" trader={buyer} />
        <Warnings id={id} />
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

function Warnings({ id }: { id: string }) {
  const [codes, setCodes] = useState<readonly string[]>([])
  useEffect(() => {
    // Not essential: ignored on an error.
    documentWarnings(`/api/invoices/${id}/xml`).then(setCodes, () => {})
  }, [id])
  if (codes.length === 0) return null
  return <Fact name="Tax warnings">{codes.map(warningText).join(', ')}</Fact>
}
