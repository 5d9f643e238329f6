package eval

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// PricesSchema names the form of a price table.
const PricesSchema = "licet.authgate.prices/1"

// Prices is a dated price table: what a million tokens cost, by model.
type Prices struct {
	Schema   string           `json:"schema"`
	Date     string           `json:"date"` // when they were looked up
	Currency string           `json:"currency"`
	Models   map[string]Price `json:"models"`
}

// Price is that of one model, decimals for a million tokens.
type Price struct {
	Input  string `json:"input"`
	Cached string `json:"cached_input"`
	Output string `json:"output"`
}

// ReadPrices reads a price table.
func ReadPrices(text []byte) (Prices, error) {
	var p Prices
	if err := json.Unmarshal(bytes.TrimSpace(text), &p, json.RejectUnknownMembers(true)); err != nil {
		return p, fmt.Errorf("reading the prices: %w", err)
	}
	if p.Schema != PricesSchema || p.Date == "" || p.Currency == "" {
		return p, fmt.Errorf("reading the prices: schema %q, date %q, currency %q", p.Schema, p.Date, p.Currency)
	}
	for model, price := range p.Models {
		for _, text := range []string{price.Input, price.Cached, price.Output} {
			if _, ok := decimal(text); !ok {
				return p, fmt.Errorf("reading the prices: %s: %q is no decimal of 0 or more", model, text)
			}
		}
	}
	return p, nil
}

// decimal reads a decimal. Its form comes first: an exponent would fill the memory.
func decimal(text string) (*big.Rat, bool) {
	if !result.IsDecimal(text) {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(text)
	return r, ok && r.Sign() >= 0
}

// Cost is what the decisions of an arm took. A nil number is not known, which is
// not the same as nothing.
type Cost struct {
	Decisions    int
	Tokens       *result.Tokens // sums
	Money        *big.Rat
	RightPairs   int
	Calls        int   // that were made live, so that their time means something
	Median, Tail int64 // ms of these: 50th and 95th percentile (nearest rank)
}

// CostOf sums what an arm used: the cost that its rows state, or else their tokens
// at the price of the model. If it is not known of one row, it is not known.
func (r *Results) CostOf(arm Arm, prices Prices) Cost {
	c := Cost{Tokens: &result.Tokens{}, Money: new(big.Rat), RightPairs: Count(r.Trials("", arm), AsBlock).C}
	var times []int64
	for _, t := range r.arms[arm] {
		for _, m := range t.Pair.Members() {
			row := r.Row(arm, m.Instance, t.Epoch)
			c.add(row, prices)
			if row.LatencyMS != nil && row.Judge == result.Live && row.Cache == "" {
				times = append(times, *row.LatencyMS)
			}
		}
	}
	slices.Sort(times)
	if c.Calls = len(times); c.Calls > 0 {
		c.Median, c.Tail = times[(c.Calls*50+99)/100-1], times[(c.Calls*95+99)/100-1]
	}
	return c
}

func (c *Cost) add(row *result.Row, prices Prices) {
	c.Decisions++
	if row.Tokens == nil {
		c.Tokens = nil
	} else if c.Tokens != nil {
		c.Tokens.Input += row.Tokens.Input
		c.Tokens.Cached += row.Tokens.Cached
		c.Tokens.Output += row.Tokens.Output
	}
	money := costOf(row, prices)
	if money == nil || c.Money == nil {
		c.Money = nil
		return
	}
	c.Money.Add(c.Money, money)
}

// costOf returns what a row cost, nil if it is not known.
func costOf(row *result.Row, prices Prices) *big.Rat {
	if money, ok := decimal(row.Cost); ok {
		return money
	}
	price, ok := prices.Models[row.Model]
	if !ok || row.Tokens == nil {
		return nil
	}
	sum := new(big.Rat)
	for _, part := range []struct {
		tokens int64
		price  string
	}{{row.Tokens.Input - row.Tokens.Cached, price.Input}, {row.Tokens.Cached, price.Cached}, {row.Tokens.Output, price.Output}} {
		each, _ := decimal(part.price) // ReadPrices has looked
		sum.Add(sum, each.Mul(each, big.NewRat(part.tokens, 1_000_000)))
	}
	return sum
}

// PerThousand is the cost of 1,000 decisions, nil if it is not known.
func (c Cost) PerThousand() *big.Rat { return c.per(c.Decisions, 1000) }

// PerRightPair is the cost of all decisions for each pair that is right.
func (c Cost) PerRightPair() *big.Rat { return c.per(c.RightPairs, 1) }

func (c Cost) per(n int, times int64) *big.Rat {
	if c.Money == nil || n == 0 {
		return nil
	}
	return new(big.Rat).Mul(c.Money, big.NewRat(times, int64(n)))
}
