/** Breaks ASCII text at spaces into rows of at most `columns` characters; every row but the first begins with `hang`. */
export function plainRows(text: string, columns: number, hang: string): readonly string[] {
  const rows: string[] = []
  let row = ''
  for (const word of text.split(/(?<=\S)(?= )/)) {
    if (row !== '' && row.length + word.length > columns) {
      rows.push(row)
      row = hang + word.trimStart()
    } else row += word
  }
  return [...rows, row]
}
