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

/** Of a sale, the buyer is with the terms; of a purchase, the seller. */
export function Parties({ invoice: { id, kind, buyer, seller } }: { invoice: Sides }) {
  return (
    <Card title="Parties">
      <dl>
        {kind === 'purchase' ? <Buyer of={buyer} /> : <Seller of={seller} />}
        <TraderFacts whose="Seller" trader={seller} />
        <TraderFacts whose="Buyer" trader={buyer} />
        <Warnings id={id} />
      </dl>
    </Card>
  )
}

export function Seller({ of: { name, wallet } }: { of: Sides['seller'] }) {
  return (
    <>
      <Fact name="Seller">{name ?? '—'}</Fact>
      {wallet && <CodeFact name="Wallet" text={wallet} copy="Copy the seller’s wallet" />}
    </>
  )
}

export function Buyer({ of: { companyName, email } }: { of: Sides['buyer'] }) {
  return (
    <>
      <Fact name="Buyer">{companyName ?? '—'}</Fact>
      <Fact name="E-mail">{email ?? '—'}</Fact>
    </>
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
