import { NodeError } from '../verify/node.ts'
import { type Check, checks, type Issuer, verify } from '../verify/verify-receipt.ts'

/** Checks the receipt of a page, and marks each check in its list as it is made. */

const list = document.getElementById('checks')

const marks = { ok: '✓', failed: '✗', unknown: '?' }

async function check({ bundle, facts }: DOMStringMap): Promise<void> {
  const [found, issuer] = await Promise.all([load(bundle), load('/.well-known/quittance')])
  const { anchor } = issuer as { readonly anchor: Issuer | null }
  let known: Promise<unknown> | null = null
  // The page's policy lets it ask no node: the service has asked one, and says what it answered.
  const ask = async (method: string) => {
    known ??= load(facts)
    const answers = (await known) as Readonly<Record<string, unknown>>
    if (Object.hasOwn(answers, method)) return answers[method]
    throw new NodeError('the service has no answer')
  }
  const verdict = await verify(found, ask, anchor ?? nobody, (name) => mark(name, 'ok'))
  if (!verdict.ok && verdict.problem !== 'not_anchored') mark(verdict.failed, 'failed')
}

const nobody: Issuer = { contract: '0x', senders: ['0x'] }

async function load(path = ''): Promise<unknown> {
  const response = await fetch(path)
  if (!response.ok) throw new NodeError(`HTTP ${response.status}`)
  return response.json()
}

function mark(name: Check, state: keyof typeof marks): void {
  const row = list?.querySelector(`[data-check="${name}"]`)
  row?.setAttribute('class', state)
  if (row?.firstChild) row.firstChild.textContent = marks[state]
}

/** What is still open is not found out any more. */
function stop(): void {
  const open = (name: Check) => !list?.querySelector(`[data-check="${name}"]`)?.className
  for (const name of checks.filter(open)) mark(name, 'unknown')
}

if (list) {
  list.closest('section')?.removeAttribute('hidden')
  // What went wrong is what stays unknown.
  check(list.dataset)
    .catch(() => {})
    .finally(stop)
}
