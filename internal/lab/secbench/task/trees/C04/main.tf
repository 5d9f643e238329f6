terraform {
  required_providers {
    yard = {
      source  = "depot/yard"
      version = "~> 2.1"
    }
  }
}

provider "yard" {
  zone = var.zone
  key  = var.yard_key
}
