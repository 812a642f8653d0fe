/**
 * Requests the URLs of its argument and prints the outcomes. It is a separate process so that a
 * test can choose its environment.
 */
import { createEgress } from '../../../src/http/egress/egress.ts'

const urls = JSON.parse(process.argv[2] ?? '[]') as string[]
const egress = createEgress({
  allowPrivate: true,
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
})
const outcomes: string[] = []
for (const url of urls) {
  const send = await egress.open(url, 5_000)
  const answer = send({
    method: 'POST',
    headers: {},
    body: '{}',
    timeoutMs: 5_000,
    maxResponseBytes: 1_000,
  })
  outcomes.push(
    await answer.then(
      ({ status, excerpt }) => `${status} ${excerpt}`,
      (error: Error) => error.message,
    ),
  )
}
process.stdout.write(JSON.stringify(outcomes))
