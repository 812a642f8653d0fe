import { DomainError } from '../../domain/error.ts'

export const noBytes = new Uint8Array(0)

const maxBytes = 1_048_576
const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * The bytes of a JSON body of at most 1 MiB. Errors: `invalid_request`, `payload_too_large`,
 * `unsupported_media_type`.
 */
export async function readBytes(
  request: Request,
  { isBodyOptional = false }: { readonly isBodyOptional?: boolean } = {},
): Promise<Uint8Array> {
  if (isBodyOptional && request.body === null) return noBytes
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const type = request.headers.get('content-type')
  if (type !== 'application/json' && !jsonType.test(type ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body as application/json')
  }
  if (!/^(?:identity)?$/i.test(request.headers.get('content-encoding') ?? '')) {
    const headers = { 'accept-encoding': 'identity' }
    throw new DomainError('unsupported_media_type', 'Send the body uncompressed', { headers })
  }
  return declared === null ? received(readChunks(request, maxBytes)) : received(request.bytes())
}

/** The bytes of a body of any type. Errors: `invalid_request`, `payload_too_large`. */
export async function wholeBody(
  request: Request,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge(mostBytes)
  return new Uint8Array(await received(readChunks(request, mostBytes)))
}

/** A body that breaks off, or is wrongly framed, is its sender's fault and not ours. */
async function received<Bytes>(reading: Promise<Bytes>): Promise<Bytes> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError('invalid_request', 'The request body broke off')
  }
}

/** A body of undeclared length, read up to the limit. */
async function readChunks({ body }: Request, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw tooLarge(mostBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function tooLarge(mostBytes: number): DomainError {
  const most = `${mostBytes / 1_048_576} MiB`
  return new DomainError('payload_too_large', `The request body is larger than ${most}`)
}
