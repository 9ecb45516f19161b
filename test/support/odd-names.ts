/** Names of directories that a glob pattern would read as something else. */
export const ODD_NAMES = '[a] {b,c} (d|e);!no;*;?;+(x);with space;zwölf;#1;.hidden'.split(';')
