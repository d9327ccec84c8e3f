%{
package grammar

import (
	"strings"
)
%}

%%

list: word
  {
    $$ = &Node{Name: $1}
  }
| list word
  {
    $$ = &Node{Name: strings.TrimSpace($2), Next: $1}
    yylex.(*lexer).words++
  }
