import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Profiles } from '../../actors/profiles.ts'
import { createLogoDrawing } from '../../documents/logo/drawing.ts'
import { logoFrom, logoUrl } from '../../documents/logo/logo.ts'
import type { Profile } from '../../domain/accounts/profile.ts'
import { like, nullable } from '../openapi/doc-schemas.ts'
import { type Answer, byOf, type Docs, type Operations, unparsed } from '../operation.ts'
import { withoutQuery } from '../request/request-url.ts'
import { country, email, line, orNull, prose } from '../request/validation.ts'

const SetProfile = Type.Object({
  name: orNull(filled(line(256)), 'The name under which the account sells.'),
  address: orNull(filled(prose(500)), 'The postal address without the country, in several lines.'),
  country: orNull(country(), 'An ISO 3166 code of two letters such as `DE`.'),
  vat: orNull(filled(line(64)), 'The VAT registration number, such as `DE123456789`.'),
  email: orNull(email(), 'Where payers can ask.'),
  website: orNull(
    Type.String({
      maxLength: 256,
      pattern: '^https?://[^\\s<>"\\u0000-\\u001f\\u007f-\\u009f]+$',
      format: 'uri',
      description: 'must be a URL that begins with https:// or http://',
    }),
    'The website of the seller.',
  ),
  logo: orNull(
    Type.String({ description: 'must be a data URL of a PNG or SVG of at most 64 KiB' }),
    'A PNG (at most 2,048 pixels wide and high) or an SVG of at most 64 KiB, as a base64 data URL. It is drawn anew, as a PNG of at most 512 × 256 pixels. An SVG has shapes, gradients and clipping only, and texts as paths. One that takes more than 3 seconds of computing, or comes while another of the account is drawn, is 409.',
  ),
})

/** Not only blanks, which would print as nothing. */
function filled(schema: ReturnType<typeof line>) {
  const { pattern = '^', description } = schema
  return Type.String({
    ...schema,
    pattern: pattern.replace('^', '^(?=[\\s\\S]*\\S)'),
    description: `${description}, and not blank`,
  })
}

const path = '/api/account/profile'

const ShownProfile = Type.Object(
  {
    name: nullable(like('Grace Example GmbH')),
    address: nullable(like('2 Example Road\n10115 Berlin')),
    country: nullable(like('DE')),
    vat: nullable(like('DE123456788')),
    email: nullable(like('billing@example.com')),
    website: nullable(like('https://example.com')),
    logo: nullable(
      Type.String({
        description: 'The PNG that payers see, as a data URL.',
        examples: ['data:image/png;base64,iVBORw0KGgo='],
      }),
    ),
  },
  { $id: 'Profile' },
)

const getDocs: Docs = {
  summary: 'Who the account is',
  description: 'As payers read it. All null where nothing was set.',
  answers: { 200: ShownProfile },
  refusals: ['invalid_request'],
}

const putDocs: Docs = {
  summary: 'Change who the account is',
  description:
    'What is left out stays; null clears it. Name, address, country and VAT id are the default of every new invoice’s seller, unless it is named otherwise, within 5 seconds in every process; an invoice keeps what it was created with. Payment pages and PDFs show the logo of now. The audit log has every change.',
  exampleBody: { name: 'Grace Example GmbH', country: 'DE', website: 'https://example.com' },
  answers: { 200: ShownProfile },
  refusals: ['invalid_state'],
}

/** Longer than a logo waits, starts and is drawn. */
const drawSeconds = 30

/** Who an account is (contract P4). A key that may create invoices may name any seller anyway. */
export function profileRoutes(
  operation: Operations,
  { profiles }: { readonly profiles: Profiles },
) {
  const draw = createLogoDrawing()
  return new Elysia()
    .get(
      path,
      operation({ scope: 'invoices:read', docs: getDocs }, async ({ principal, request }) => {
        withoutQuery(request.url)
        return show(principal.accountId, await profiles.of(principal.accountId))
      }),
    )
    .put(
      path,
      operation(
        { scope: 'invoices:write', body: SetProfile, maxSeconds: drawSeconds, docs: putDocs },
        async (call) => {
          const { accountId } = call.principal
          const { logo, ...texts } = call.body.value as Static<typeof SetProfile>
          const change = {
            ...texts,
            ...(texts.country && { country: texts.country.toUpperCase() }),
            ...(logo !== undefined && {
              logo: logo === null ? null : await logoFrom(logo, (job) => draw(job, accountId)),
            }),
          }
          return show(accountId, await profiles.change(accountId, change, byOf(call)))
        },
      ),
      unparsed,
    )

  async function show(accountId: string, profile: Profile): Promise<Answer> {
    const { logoHash, ...shown } = profile
    const logo = logoHash === null ? null : await profiles.logo(accountId)
    return { status: 200, body: JSON.stringify({ ...shown, logo: logo && logoUrl(logo) }) }
  }
}
