import type { createServer } from './server.ts'

const pollEveryMs = 10
/** After so many polls without a request, clients count as gone. */
const quietPollsNeeded = 10
const mostLingerMs = 2_000
/** For requests of which only a part has arrived. */
const halfSentMs = 2_000
/** From the beginning; requests that take longer are cut off. */
const requestDrainMs = 8_000

/**
 * Ends the server without losing a request: for a moment requests are still served, with
 * `Connection: close`. Then nothing is accepted, and connections are closed after their requests.
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
  server.reload({ routes: {}, fetch: answerLast })
  const passedMs = () => performance.now() - begunMs
  // Polls are counted, not time: a process that is held up sees no request.
  for (let quietPolls = 0; quietPolls < quietPollsNeeded && passedMs() < mostLingerMs; ) {
    const before = requests
    await Bun.sleep(pollEveryMs)
    quietPolls = requests === before && server.pendingRequests === 0 ? quietPolls + 1 : 0
  }
  // Bun waits for connections that were never used, such as browsers open in advance. Nothing tells
  // them from those that have sent half of a request's headers.
  const closed = server.stop()
  await Promise.race([closed, Bun.sleep(halfSentMs)])
  while (server.pendingRequests > 0 && passedMs() < requestDrainMs)
    await Promise.race([closed, Bun.sleep(pollEveryMs)])
  await server.stop(true)
}
