import { Document, Image, Link, Page, Path, Svg, Text, View } from '@react-pdf/renderer'
import type { Fact } from '../texts.ts'
import { filled } from '../words/words.ts'
import type { InvoiceDocument, Side } from './invoice-document.ts'
import { figureSize, narrow, styles, tones, wide } from './invoice-styles.ts'
import type { Item } from './items.ts'
import type { Payment, Settlement } from './payment-blocks.ts'
import { qrOf } from './qr.ts'

type Props = { readonly document: InvoiceDocument }

type Look = { readonly families: readonly string[]; readonly logo: Uint8Array | null }

export function InvoicePdf({ document, families, logo }: Props & Look) {
  const { labels, facts, seller, buyer, payment, settlement, notes } = document
  return (
    <Document>
      <Page size="A4" style={[styles.page, { fontFamily: [...families] }]}>
        <Stamp document={document} />
        <Footer document={document} />
        {logo && <Logo png={logo} />}
        <Heading document={document} />
        <View style={styles.parties}>
          <Party label={labels.from} side={seller} />
          {buyer && <Party label={labels.billedTo} side={buyer} />}
          <View style={styles.facts}>
            {facts.map((fact) => (
              <View key={fact.label} style={styles.fact}>
                <Text style={styles.label}>{fact.label}</Text>
                <Text>{fact.value}</Text>
              </View>
            ))}
          </View>
        </View>
        <Items document={document} />
        <Totals document={document} />
        {payment && <PaymentPanel payment={payment} />}
        {settlement && <SettlementPanel settlement={settlement} />}
        {notes.map((note) => (
          <Text key={note} style={styles.note}>
            {note}
          </Text>
        ))}
      </Page>
    </Document>
  )
}

function Logo({ png }: { readonly png: Uint8Array }) {
  return <Image src={{ data: Buffer.from(png), format: 'png' }} style={styles.logo} />
}

function Stamp({ document: { stamp } }: Props) {
  if (stamp === null) return null
  return (
    <View fixed style={styles.stampBox}>
      <Text style={[styles.stamp, { fontSize: stampSizeOf(stamp) }]}>{stamp}</Text>
    </View>
  )
}

// A long word must not leave the paper.
function stampSizeOf(text: string): number {
  return Math.min(92, Math.floor(620 / text.length))
}

function Heading({ document: { labels, number, badge } }: Props) {
  return (
    <View style={styles.heading}>
      <View>
        <Text style={styles.title}>{labels.heading}</Text>
        <Text style={styles.number}>{number}</Text>
      </View>
      {badge && <Text style={[styles.badge, tones[badge.tone]]}>{badge.label}</Text>}
    </View>
  )
}

function Party({ label, side }: { readonly label: string; readonly side: Side }) {
  return (
    <View style={styles.party}>
      <Text style={styles.label}>{label}</Text>
      <Text style={styles.name}>{side.name}</Text>
      {side.lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal and never move
        <Text key={at}>{line}</Text>
      ))}
    </View>
  )
}

function Items({ document: { labels, items, isWide } }: Props) {
  const columns = isWide ? wide : narrow
  return (
    <View>
      <View fixed style={styles.itemHead}>
        <Text style={styles.description}>{labels.description}</Text>
        <Text style={columns.quantity}>{labels.quantity}</Text>
        <Text style={columns.figure}>{labels.unitPrice}</Text>
        <Text style={columns.rate}>{labels.vat}</Text>
        <Text style={columns.figure}>{labels.amount}</Text>
      </View>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items may be equal and never move
        <Row key={at} item={item} columns={columns} />
      ))}
    </View>
  )
}

type RowProps = { readonly item: Item; readonly columns: typeof wide }

function Row({ item, columns }: RowProps) {
  return (
    <View wrap={!isShort(item)} style={styles.item}>
      <View style={styles.description}>
        {item.description.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal and never move
          <Text key={at}>{line}</Text>
        ))}
      </View>
      <Figure text={item.quantity} style={columns.quantity} />
      <Figure text={item.unitPrice} style={columns.figure} />
      <Text style={columns.rate}>{item.taxRate}</Text>
      <Figure text={item.amount} style={columns.figure} />
    </View>
  )
}

/** A row that surely fits on a page stays on one. */
function isShort({ description }: Item): boolean {
  return description.length <= 6 && description.every((line) => line.length <= 200)
}

function Figure({ text, style }: { readonly text: string; readonly style: typeof wide.figure }) {
  return <Text style={[style, { fontSize: figureSize(text, style.width) }]}>{text}</Text>
}

function Totals({ document: { totals, total, isWide } }: Props) {
  return (
    <View wrap={false} style={isWide ? styles.wideTotals : styles.totals}>
      {totals.map(({ label, value }) => (
        <View key={label} style={styles.totalLine}>
          <Text style={styles.totalLabel}>{label}</Text>
          <Text style={styles.totalValue}>{value}</Text>
        </View>
      ))}
      <View style={styles.grandTotal}>
        <Text>{total.label}</Text>
        <Text>{total.value}</Text>
      </View>
    </View>
  )
}

function PaymentPanel({ payment }: { readonly payment: Payment }) {
  return (
    <View wrap={false} style={styles.panel}>
      <View style={styles.panelText}>
        <Text style={styles.panelHeading}>{payment.heading}</Text>
        <Details facts={payment.facts} />
        {payment.hint && <Text style={styles.hint}>{payment.hint}</Text>}
      </View>
      {payment.uri !== null && <QrCode text={payment.uri} />}
    </View>
  )
}

function QrCode({ text }: { readonly text: string }) {
  const { path, side } = qrOf(text)
  return (
    <Svg viewBox={`0 0 ${side} ${side}`} style={styles.qr}>
      <Path d={`M0 0h${side}v${side}h-${side}z`} fill="#ffffff" />
      <Path d={path} fill="#000000" />
    </Svg>
  )
}

function SettlementPanel({ settlement }: { readonly settlement: Settlement }) {
  const { heading, isConfirmed, facts, transfers } = settlement
  return (
    <View style={isConfirmed ? [styles.panel, styles.settled] : styles.panel}>
      <View style={styles.panelText}>
        <Text style={styles.panelHeading}>{heading}</Text>
        <Details facts={facts} />
        {transfers.map((transfer, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one transaction may hold two transfers, and they never move
          <View key={at} wrap={false} style={styles.detail}>
            <Text style={styles.detailLabel}>{transfer.label}</Text>
            <Link src={transfer.link} style={styles.link}>
              {transfer.value}
            </Link>
          </View>
        ))}
      </View>
    </View>
  )
}

function Details({ facts }: { readonly facts: readonly Fact[] }) {
  return facts.map(({ label, value }) => (
    <View key={label} wrap={false} style={styles.detail}>
      <Text style={styles.detailLabel}>{label}</Text>
      <Text style={styles.detailValue}>{value}</Text>
    </View>
  ))
}

function Footer({ document: { labels, title, id } }: Props) {
  return (
    <View fixed style={styles.footer}>
      <Text>{`${title}, ${id}`}</Text>
      <Text
        render={({ pageNumber, totalPages }) =>
          filled(labels.pageOf, { page: pageNumber, pages: totalPages })
        }
      />
    </View>
  )
}
