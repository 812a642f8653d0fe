import { DomainError } from '../../domain/error.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Refuses who was led here by a name, or from a page, that is not ours. Errors: `forbidden`. */
export type HostCheck = (request: Request) => void

/**
 * Lets in this machine's own names and the host of `publicUrl`, whatever the port: a page elsewhere whose name is made to point
 * at us (DNS rebinding) is sent with its own name in `Host`, and with itself as `Origin`.
 */
export function hostCheck(publicUrl: string | null): HostCheck {
  const allowed = new Set(publicUrl === null ? loopback : [...loopback, hostnameOf(publicUrl)])
  return ({ headers }) => {
    const host = headers.get('host') ?? ''
    if (!allowed.has(hostnameOf(`http://${host}`)))
      throw new DomainError('forbidden', 'This host is not served here')
    const origin = headers.get('origin')
    if (origin !== null && !allowed.has(hostnameOf(origin)))
      throw new DomainError('forbidden', 'Pages of this origin may not call')
  }
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}
