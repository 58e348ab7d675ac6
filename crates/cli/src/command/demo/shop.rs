//! `probity demo-server`: a small MCP server to try things on, with a bug that shows only after the right calls.
//!
//! It speaks over standard input and output. The bug: a voucher is granted for goods worth 12 or more, and stays when goods
//! are taken out again, so that a cart can cost less than nothing.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// What can be bought, and for how much.
const PRICES: &[(&str, i64)] = &[("tea", 4), ("cup", 12), ("teapot", 24)];
/// Goods worth this much earn a voucher of [`VOUCHER`].
const LEAST_FOR_VOUCHER: i64 = 12;
const VOUCHER: i64 = 10;
/// It is a small shop.
const N_CARTS: usize = 2;

/// Answers requests until there are no more, or nobody listens.
pub(crate) fn serve(input: impl BufRead, mut output: impl Write) {
    let mut shop = Shop::default();
    for line in input.lines().map_while(Result::ok) {
        let Some(answer) = serde_json::from_str(&line).ok().and_then(|message| answer(&mut shop, &message))
        else {
            continue;
        };
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

#[derive(Debug, Default)]
struct Shop {
    carts: Vec<Cart>,
    n_items: usize,
}

#[derive(Debug, Default)]
struct Cart {
    items: BTreeMap<String, i64>,
    discount: i64,
}

/// The answer to a message, if it wants one.
fn answer(shop: &mut Shop, message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let result = match message.get("method")?.as_str()? {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "corner-shop", "version": "1.0.0" },
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": tools() }),
        "tools/call" => {
            let params = &message["params"];
            match call(shop, params["name"].as_str().unwrap_or_default(), &params["arguments"]) {
                Ok(content) => json!({
                    "content": [{ "type": "text", "text": content.to_string() }],
                    "structuredContent": content,
                }),
                Err(reason) => json!({ "content": [{ "type": "text", "text": reason }], "isError": true }),
            }
        }
        method => {
            let error = json!({ "code": -32601, "message": format!("there is no method {method:?}") });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn tools() -> Value {
    let cart = json!({ "type": "string", "pattern": "^cart-[0-9]+$" });
    let item = json!({ "type": "string", "pattern": "^item-[0-9]+$" });
    let amount = json!({ "type": "integer", "minimum": 0 });
    let products: Vec<&str> = PRICES.iter().map(|(name, _)| *name).collect();
    json!([
        tool("open_cart", "Open a new cart", &json!({}), &json!({ "cart": cart })),
        tool(
            "add_item",
            "Put something into a cart",
            &json!({ "cart": cart, "product": { "enum": products } }),
            &json!({ "item": item })
        ),
        tool(
            "apply_voucher",
            "Take 10 off a cart worth 12 or more",
            &json!({ "cart": cart }),
            &json!({ "discount": amount })
        ),
        tool(
            "remove_item",
            "Take something out of a cart",
            &json!({ "cart": cart, "item": item }),
            &json!({ "left": amount })
        ),
        tool("checkout", "Say what a cart costs", &json!({ "cart": cart }), &json!({ "total": amount })),
    ])
}

fn tool(name: &str, description: &str, input: &Value, output: &Value) -> Value {
    let object = |members: &Value| {
        let names: Vec<&String> = members.as_object().map(|all| all.keys().collect()).unwrap_or_default();
        json!({ "type": "object", "properties": members, "required": names, "additionalProperties": false })
    };
    json!({ "name": name, "description": description, "inputSchema": object(input), "outputSchema": object(output) })
}

fn call(shop: &mut Shop, tool: &str, arguments: &Value) -> Result<Value, String> {
    let Shop { carts, n_items } = shop;
    if tool == "open_cart" {
        if carts.len() == N_CARTS {
            return Err("all carts are in use".to_owned());
        }
        carts.push(Cart::default());
        return Ok(json!({ "cart": format!("cart-{}", carts.len()) }));
    }
    let name = arguments["cart"].as_str().unwrap_or_default();
    let number = name.strip_prefix("cart-").and_then(|number| number.parse::<usize>().ok());
    let cart = number.and_then(|number| carts.get_mut(number.checked_sub(1)?));
    let Cart { items, discount } = cart.ok_or_else(|| format!("there is no cart {name:?}"))?;
    match tool {
        "add_item" => {
            let product = arguments["product"].as_str().unwrap_or_default();
            let price = PRICES.iter().find(|(name, _)| *name == product).map(|(_, price)| *price);
            *n_items += 1;
            let item = format!("item-{n_items}");
            items.insert(item.clone(), price.ok_or_else(|| format!("{product:?} is not for sale"))?);
            Ok(json!({ "item": item }))
        }
        "apply_voucher" if items.values().sum::<i64>() < LEAST_FOR_VOUCHER => {
            Err(format!("a voucher needs goods worth {LEAST_FOR_VOUCHER}"))
        }
        "apply_voucher" => {
            *discount = VOUCHER;
            Ok(json!({ "discount": discount }))
        }
        "remove_item" => {
            let item = arguments["item"].as_str().unwrap_or_default();
            items.remove(item).ok_or_else(|| format!("{item:?} is not in this cart"))?;
            // The bug: what the cart holds now may no longer earn its voucher.
            Ok(json!({ "left": items.len() }))
        }
        "checkout" => Ok(json!({ "total": items.values().sum::<i64>() - *discount })),
        _ => Err(format!("there is no tool {tool:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(calls: &[(&str, Value)]) -> Result<Value, String> {
        let mut shop = Shop::default();
        let answers = calls.iter().map(|(tool, arguments)| call(&mut shop, tool, arguments));
        answers.last().unwrap_or(Ok(Value::Null))
    }

    #[test]
    fn a_voucher_outlives_what_earned_it_and_nothing_else_is_wrong() {
        let cart = || json!({ "cart": "cart-1" });
        let open = ("open_cart", json!({}));
        let add = |product: &str| ("add_item", json!({ "cart": "cart-1", "product": product }));
        let remove = ("remove_item", json!({ "cart": "cart-1", "item": "item-1" }));
        let voucher = ("apply_voucher", cart());
        let checkout = ("checkout", cart());
        let honest = [open.clone(), add("teapot"), voucher.clone(), add("tea"), checkout.clone()];
        assert_eq!(total(&honest), Ok(json!({ "total": 18 })));
        assert_eq!(total(&[open.clone(), checkout.clone()]), Ok(json!({ "total": 0 })));
        assert!(total(&[open.clone(), add("tea"), voucher.clone()]).is_err());
        let wrong = [open, add("teapot"), voucher, remove, checkout];
        assert_eq!(total(&wrong), Ok(json!({ "total": -10 })));
    }
}
