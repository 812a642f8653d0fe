const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'
const fileName = 'factur-x.xml'

const properties = {
  DocumentFileName: 'The name of the embedded XML document',
  DocumentType: 'The type of the hybrid document in capital letters, e.g. INVOICE or ORDER',
  Version: 'The actual version of the standard applying to the embedded XML document',
  ConformanceLevel: 'The conformance level of the embedded XML document',
}

const propertyList = Object.entries(properties).map(
  ([name, description]) =>
    `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>` +
    '<pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>' +
    `<pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`,
)

/** Makes a PDF/A-3 a Factur-X 1.0 (ZUGFeRD 2) invoice of profile EN 16931. */
export const facturX = {
  file: {
    name: fileName,
    type: 'text/xml',
    description: 'The invoice as EN 16931 CII',
    relationship: 'Alternative',
  },
  metadata: `
<rdf:Description rdf:about="" xmlns:fx="${namespace}">
  <fx:DocumentType>INVOICE</fx:DocumentType>
  <fx:DocumentFileName>${fileName}</fx:DocumentFileName>
  <fx:Version>1.0</fx:Version>
  <fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq>${propertyList.join('')}</rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`,
}
