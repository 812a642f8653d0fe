/** Sends what its argument says in a process of its own, whose environment is the test's to choose, and prints what came of it. */
import { createEgress } from '../../src/http/egress.ts'

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
