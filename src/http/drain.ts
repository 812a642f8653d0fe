import type { createServer } from './server.ts'

const pollEveryMs = 10
/** After so many polls without a request, clients count as gone. */
const quietPollsNeeded = 10
/** New requests are taken for no longer than this; clients that do not go are then cut off. */
const mostLingerMs = 2_000
/** What has not become a request within this time after that is cut off. */
const halfSentMs = 2_000
/** Requests that take longer than this after shutdown has begun are cut off. */
const requestDrainMs = 8_000

/**
 * Ends the server without losing a request that is on its way: for a moment it is still served, by
 * answers that tell the client to use its connection no more (`Connection: close`). Then nothing
 * is accepted, idle connections are closed, and the others once their requests are answered.
 */
export async function drainServer(app: ReturnType<typeof createServer>): Promise<void> {
  const { server } = app
  if (!server) return
  const begunMs = performance.now()
  let requests = 0
  const answerLast = async (request: Request) => {
    requests++
    const response = await app.handle(request)
    response.headers.set('connection', 'close')
    return response
  }
  // Without routes of Bun's own, every request is answered by `fetch`.
  server.reload({ routes: {}, fetch: answerLast })
  const passedMs = () => performance.now() - begunMs
  // Polls are counted, not time: while the process itself is held up it sees no request.
  for (let quietPolls = 0; quietPolls < quietPollsNeeded && passedMs() < mostLingerMs; ) {
    const before = requests
    await Bun.sleep(pollEveryMs)
    quietPolls = requests === before && server.pendingRequests === 0 ? quietPolls + 1 : 0
  }
  // Bun closes connections between two requests at once, even if one is on its way, and the others
  // behind their answers. It waits for those that have never been used, as browsers open some in
  // advance, and nothing tells them from those with half of a request's headers.
  const closed = server.stop()
  await Promise.race([closed, Bun.sleep(halfSentMs)])
  while (server.pendingRequests > 0 && passedMs() < requestDrainMs)
    await Promise.race([closed, Bun.sleep(pollEveryMs)])
  await server.stop(true)
}
