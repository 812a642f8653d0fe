import type { Qr } from '../../documents/pdf/qr.ts'
import { useWords } from '../hooks/words.ts'
import { PaymentLink } from './chain-links.tsx'
import { Copy } from './parts.tsx'

/** Parts that say what to transfer. */

export function QrCode({ qr: { side, path } }: { qr: Qr }) {
  const { say } = useWords()
  return (
    <svg className="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={say('qrCode')}>
      <path d={path} />
    </svg>
  )
}

type CopyLineProps = { name: string; text: string; copy: string; isCut?: true }

export function CopyLine({ name, text, copy, isCut }: CopyLineProps) {
  return (
    <div className="copy-line">
      <p>
        <span className="quiet">{name}</span>
        <code className={isCut ? 'cut' : 'long'}>{text}</code>
      </p>
      <Copy text={text} label={copy} />
    </div>
  )
}

/** In place of what to transfer, once a wallet has sent it. */
export function Sent(props: { chain: string; txHash: string | null; onAgain(): void }) {
  const { chain, txHash, onAgain } = props
  const { say } = useWords()
  return (
    <>
      <p>{say('sentHint')}</p>
      {txHash && (
        <p className="quiet">
          {say('transaction')} <PaymentLink chain={chain} txHash={txHash} />
        </p>
      )}
      <p>
        <button type="button" onClick={onAgain}>
          {say('payAgain')}
        </button>
      </p>
    </>
  )
}
