import { type Bundle, receiptHash } from '../../verify/bundle.ts'
import { short } from '../format.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { AnchorLink } from '../parts/chain-links.tsx'
import { Card, CodeFact, Fact, Show } from '../parts/parts.tsx'

/** `page`: where people read it; there is none of a mandate's. */
export function Receipt({ id, page }: { id: string; page?: string }) {
  const path = `/v1/public/receipts/${id}/bundle`
  const found = useLoaded<Bundle>(path)
  return (
    <Card title="Receipt">
      <Show from={found}>
        {(bundle) => (
          <dl className="two">
            <Fact name="Receipt">
              {page ? (
                <a href={page} target="_blank" rel="noreferrer">
                  <code title={id}>{short(id)}</code>
                </a>
              ) : (
                <code title={id}>{short(id)}</code>
              )}
            </Fact>
            <Fact name="Proof">
              <a href={path} download={`${id}.json`}>
                Download (JSON)
              </a>
            </Fact>
            <CodeFact name="Hash" text={bundle.hash} copy="Copy receipt hash" />
            <Fact name="Check">
              <Checked bundle={bundle} />
            </Fact>
            <OnChain anchor={bundle.anchor} />
          </dl>
        )}
      </Show>
    </Card>
  )
}

function OnChain({ anchor }: Pick<Bundle, 'anchor'>) {
  if (!anchor) return <Fact name="On chain">not anchored yet</Fact>
  const { chainId, txHash, blockNumber, contract } = anchor
  return (
    <>
      <Fact name="On chain">
        block {blockNumber} of chain {chainId}
      </Fact>
      <Fact name="Anchor">
        <AnchorLink chainId={chainId} txHash={txHash} />
      </Fact>
      <Fact name="Contract">
        <code title={contract}>{short(contract)}</code>
      </Fact>
    </>
  )
}

function Checked({ bundle }: { bundle: Bundle }) {
  const isRight = receiptHash(bundle.claims) === bundle.hash
  return <>{isRight ? 'what it states has this hash' : 'what it states does not have this hash'}</>
}
